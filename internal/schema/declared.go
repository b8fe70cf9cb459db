package schema

import cqlschema "github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"

// declaredKinds are the kinds of columns as statements declare them.
var declaredKinds = map[Kind]cqlschema.Kind{
	PartitionKey: cqlschema.PartitionKey,
	Clustering:   cqlschema.Clustering,
	Static:       cqlschema.Static,
	Regular:      cqlschema.Regular,
}

// Declared gives the table's columns as those of a CREATE TABLE statement. It is the inverse of
// FromDeclared.
func (t *Table) Declared() []cqlschema.Column {
	columns := make([]cqlschema.Column, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = cqlschema.Column{
			Name:     c.Name,
			Kind:     declaredKinds[c.Kind],
			Position: c.Position,
			Type:     c.Type,
			Desc:     c.Desc,
		}
	}
	return columns
}

// FromDeclared gives the columns of a CREATE TABLE statement as the servers would describe them.
func FromDeclared(declared []cqlschema.Column) []Column {
	kinds := make(map[cqlschema.Kind]Kind)
	for k, d := range declaredKinds {
		kinds[d] = k
	}
	columns := make([]Column, len(declared))
	for i, c := range declared {
		columns[i] = Column{
			Name:     c.Name,
			Kind:     kinds[c.Kind],
			Position: c.Position,
			Type:     c.Type,
			Desc:     c.Desc,
		}
	}
	return columns
}
