package cli

// What the consistency levels by default promise.
const (
	readLevelHelp  = "at LOCAL_ONE one replica of the data center is asked, and what it has missed is missed; LOCAL_QUORUM and QUORUM read whatever was written at that level"
	writeLevelHelp = "at LOCAL_QUORUM a row counts as loaded when most replicas of the data center have it; at LOCAL_ONE, when one has, which readers of the others may not see for a while"
)
