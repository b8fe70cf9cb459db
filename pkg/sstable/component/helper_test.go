package component

// keyOne is the partition key of the int 1.
var keyOne = []byte{0, 0, 0, 1}
