package simcluster

// test is a condition on a column with its value read.
type test struct {
	column *tableColumn
	op     string
	value  []byte
}

// tests reads the conditions on columns.
func (st *statement) tests(t *table, values []*value) ([]test, error) {
	var all []test
	for _, cond := range st.where {
		if cond.onToken {
			continue
		}
		i, err := t.find(cond.column)
		if err != nil {
			return nil, err
		}
		c := &t.cols[i]
		v, isSet, err := cond.value.read(c.cql, values)
		if err != nil {
			return nil, err
		}
		if v == nil || !isSet {
			return nil, sayf("Invalid null value in condition for column %s", c.name)
		}
		all = append(all, test{c, cond.op, v})
	}
	return all, nil
}

// passed says whether a row fulfils all conditions. A null fulfils none.
func (v view) passed(tests []test) bool {
	for _, t := range tests {
		have := v.cell(t.column).value
		if have == nil || !holds(t.op, t.column.order.Compare(have, t.value)) {
			return false
		}
	}
	return true
}

func holds(op string, order int) bool {
	switch op {
	case "<":
		return order < 0
	case ">":
		return order > 0
	case "<=":
		return order <= 0
	case ">=":
		return order >= 0
	default:
		return order == 0
	}
}
