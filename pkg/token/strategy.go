package token

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// strategyKind is the rule by which a strategy selects replicas.
type strategyKind uint8

const (
	kindSimple strategyKind = iota + 1
	kindTopology
	kindLocal
	kindEverywhere
)

// The simple names of the replication strategies, by kind.
var strategyNames = map[strategyKind]string{
	kindSimple:     "SimpleStrategy",
	kindTopology:   "NetworkTopologyStrategy",
	kindLocal:      "LocalStrategy",
	kindEverywhere: "EverywhereStrategy",
}

const (
	strategyPackage = "org.apache.cassandra.locator."
	classOption     = "class"
	factorOption    = "replication_factor"
)

// Strategy is the replication strategy of a keyspace. [ParseStrategy] returns one. The zero
// Strategy, like LocalStrategy, has no replicas. A Strategy is immutable and safe for concurrent
// use.
type Strategy struct {
	kind   strategyKind
	factor int            // of SimpleStrategy; of datacenters not in byDC
	byDC   map[string]int // of NetworkTopologyStrategy
}

// ParseStrategy reads the replication map of system_schema.keyspaces: "class", with or without its
// Java package, and the options of that class.
//
//   - SimpleStrategy takes replication_factor.
//   - NetworkTopologyStrategy takes a factor for each datacenter by name; replication_factor, if
//     present, applies to every other datacenter.
//   - LocalStrategy keeps the rows of each node on that node alone. Its placement has empty replica
//     lists, and each node answers for itself.
//   - EverywhereStrategy places replicas on every node that owns a token.
//
// A factor of "3/1", three replicas including one transient replica, counts as 3.
//
// ParseStrategy returns an error without a class, and an error that wraps [ErrUnsupported] for any
// other class. If a factor is missing or cannot be read, the error names the option.
func ParseStrategy(replication map[string]string) (Strategy, error) {
	class, ok := replication[classOption]
	if !ok {
		return Strategy{}, errors.New("replication without a class")
	}
	var s Strategy
	for kind, name := range strategyNames {
		if strings.TrimPrefix(class, strategyPackage) == name {
			s.kind = kind
		}
	}
	switch s.kind {
	case kindLocal, kindEverywhere:
		return s, nil
	case kindSimple, kindTopology:
		return s.withFactors(replication)
	}
	return Strategy{}, fmt.Errorf("replication class %q: %w", class, ErrUnsupported)
}

// withFactors adds the options of SimpleStrategy or NetworkTopologyStrategy.
func (s Strategy) withFactors(replication map[string]string) (Strategy, error) {
	s.byDC = make(map[string]int, len(replication))
	for _, option := range slices.Sorted(maps.Keys(replication)) {
		if option == classOption || s.kind == kindSimple && option != factorOption {
			continue
		}
		factor, err := parseFactor(replication[option])
		if err != nil {
			return Strategy{}, fmt.Errorf("replication option %q of %s: %w", option, s, err)
		}
		if option == factorOption {
			s.factor = factor
		} else {
			s.byDC[option] = factor
		}
	}
	if _, ok := replication[factorOption]; !ok && s.kind == kindSimple {
		return Strategy{}, fmt.Errorf("%s without a %s", s, factorOption)
	}
	return s, nil
}

// parseFactor reads "3" or "3/1"; for both it returns 3.
func parseFactor(s string) (int, error) {
	all, transient, slash := strings.Cut(s, "/")
	n, err := strconv.ParseUint(all, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%q is not a replication factor", s)
	}
	if slash {
		if t, err := strconv.ParseUint(transient, 10, 31); err != nil || t > 0 && t >= n {
			return 0, fmt.Errorf("%q is not a replication factor with transient replicas", s)
		}
	}
	return int(n), nil
}

// String returns the simple class name, or "" for the zero Strategy.
func (s Strategy) String() string { return strategyNames[s.kind] }

// inDC returns the replication factor of NetworkTopologyStrategy in dc.
func (s Strategy) inDC(dc string) int {
	if factor, ok := s.byDC[dc]; ok {
		return factor
	}
	return s.factor
}
