// Package delivery brings SSTables into a table ([Delivery]). It streams each of them to the
// replicas of its rows, or keeps them in a folder with the commands that import them.
//
// [Delivery.Prepare] checks that the nodes take them and reads the ring, which is watched from then
// on. Package write/stream makes the SSTables out of rows, and package internode has the protocol.
package delivery
