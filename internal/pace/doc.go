// Package pace decides when the next request may go: [Limiter] holds a rate,
// [Backoff] is the wait between attempts, [Gate] finds how many requests may be in
// flight, [LatencyController] holds it to a latency, and [Budget] shares out bytes.
package pace
