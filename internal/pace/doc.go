// Package pace decides when the next request may be sent. [Limiter] and [ResponseLimiter] limit a
// rate, and [Backoff] is the wait between attempts. [Gate] finds how many requests may be in
// flight, and [LatencyController] bounds it by a latency. [Budget] shares out bytes.
package pace
