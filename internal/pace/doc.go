// Package pace decides when the next request may be sent. [Limiter] and [ResponseLimiter] limit a
// rate, [Backoff] is the wait between attempts, [Gate] finds how many requests may be in flight,
// [LatencyController] bounds a gate by a latency, and [Budget] shares out bytes.
package pace
