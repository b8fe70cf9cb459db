// Package web shows a run to a browser and to Prometheus: a page that is alive while the run is,
// its state as JSON, and metrics; and the page of a run that is over, as one file that needs
// nothing else.
//
// Start with [Listen] and [WriteReport]. What is shown is made of a board.State, by templates that
// escape whatever comes from inputs and servers; nothing is fetched from elsewhere, and a policy in
// each page forbids it.
package web
