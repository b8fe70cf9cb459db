package spec

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/selectstmt"
)

// Selected parses the SELECT that the scan reads by. It returns nil if columns are selected.
func (s *Scan) Selected() (*selectstmt.Statement, error) {
	if s.Query == "" {
		return nil, nil //nolint:nilnil // most scans have none
	}
	parsed, err := selectstmt.Parse(s.Query)
	if err != nil {
		return nil, fmt.Errorf("--query: %w", err)
	}
	if parsed.Keyspace == "" {
		return nil, fmt.Errorf(
			"--query: the SELECT names no keyspace: write its table as keyspace.%s, or say --keyspace",
			parsed.Table,
		)
	}
	return parsed, nil
}

// UseKeyspace is Load.UseKeyspace.
func (s *Scan) UseKeyspace(keyspace string) {
	parsed, err := selectstmt.Parse(s.Query)
	if err == nil && parsed.Keyspace == "" {
		s.Query = inKeyspace(s.Query, parsed.TableAt, keyspace)
	}
}

// useQuery sets the settings that the SELECT has in its text. It refuses those that were given
// beside it.
func (s *Scan) useQuery() error {
	parsed, err := s.Selected()
	if parsed == nil || err != nil {
		return err
	}
	for name, given := range map[string]bool{
		"columns":         len(s.Columns) > 0,
		"column-order":    s.ColumnOrder != "",
		"where":           s.Where != "",
		"limit":           s.Limit != -1,
		"allow-filtering": s.AllowFiltering,
	} {
		if given || s.Given[name] {
			return fmt.Errorf("--%s and --query: write it in the statement", name)
		}
	}
	if s.Via != ViaCQL {
		return fmt.Errorf("--query: --via %s runs no statements", s.Via)
	}
	s.Where, s.AllowFiltering = parsed.Where, parsed.AllowFiltering
	if parsed.Limit > 0 {
		s.Limit = parsed.Limit
	}
	return nil
}
