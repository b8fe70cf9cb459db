package operation

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// sweepOptions returns the options of a sweep of the table. The caller must call stop when the
// sweep is over.
func sweepOptions(
	ctx context.Context,
	env spec.Environment,
	o *spec.Pacing,
	t *files.Source,
	c *progress.Counters,
) (options sweep.Options, stop func()) {
	if t.Files != nil {
		return read.FilesOptions(o, t), func() {}
	}
	keeper, stopKeeper := keepTarget(ctx, t.Table, env, o.TargetP99, c)
	swept := read.Swept{Env: env, Pacing: o, Source: t, Counters: c, Keeper: keeper}
	options, stopAdvice := swept.Options(ctx)
	return options, func() {
		stopAdvice()
		stopKeeper()
	}
}
