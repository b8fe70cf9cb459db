package cli

import (
	"strconv"
	"strings"
)

// The consistency levels by default. A write goes to all replicas in any case: waiting for
// most of them costs little, and a row that one alone has is not there for a reader of
// another. A read of many rows from two replicas costs twice as much.
const (
	readConsistency  = "LOCAL_ONE"
	writeConsistency = "LOCAL_QUORUM"

	// unrecordedConsistency is that of runs that recorded none.
	unrecordedConsistency = "LOCAL_ONE"
)

const consistencyFlag = "consistency"

// What the levels by default promise.
const (
	readLevelHelp  = "at LOCAL_ONE one replica of the data center is asked, and what it has missed is missed; LOCAL_QUORUM and QUORUM read whatever was written at that level"
	writeLevelHelp = "at LOCAL_QUORUM a row counts as loaded when most replicas of the data center have it; at LOCAL_ONE, when one has, which readers of the others may not see for a while"
)

// levelNote names the consistency level at the end of a summary; it is empty where there is
// one replica.
func (t *target) levelNote() string {
	if !t.replicated() {
		return ""
	}
	return "; consistency " + t.consistency
}

// replicated says whether a row has several replicas, in all data centers together.
func (t *target) replicated() bool {
	if strings.HasSuffix(t.replication["class"], "LocalStrategy") {
		return false
	}
	replicas := 0
	for name, factor := range t.replication {
		if name != "class" {
			factor, _, _ = strings.Cut(factor, "/") // of those the transient ones
			n, _ := strconv.Atoi(factor)            // a plan was made of it
			replicas += n
		}
	}
	return replicas != 1 // a strategy without factors has one on every node
}
