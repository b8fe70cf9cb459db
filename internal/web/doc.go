// Package web shows a run to a browser and to Prometheus. While the run lasts, it serves a live
// page, the run's state as JSON, and metrics. Of a finished run it writes a page as one file that
// needs nothing else.
//
// Start with [Listen] and [WriteReport]. Templates make the pages from a board.State, and escape
// all text that comes from inputs and servers. A page fetches nothing from elsewhere: its
// Content-Security-Policy forbids it.
package web
