package cli

// What the consistency levels by default promise.
const (
	readLevelHelp  = "at LOCAL_ONE one replica of the data center is read, without what it has missed. LOCAL_QUORUM and QUORUM read everything that was written at that level"
	writeLevelHelp = "at LOCAL_QUORUM a row counts as loaded when most replicas of the data center have it. At LOCAL_ONE one replica is enough, and readers of the others may miss the row for a while"
)
