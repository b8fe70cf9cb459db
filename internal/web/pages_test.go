//go:build pages

package web

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// browser is a Chromium, which CQLBULK_TEST_CHROMIUM names. It has nothing to complain of, and
// takes pictures into the folder CQLBULK_TEST_PICTURES, where one is named.
type browser struct {
	t          *testing.T
	ctx        context.Context
	complaints chan string
}

func newBrowser(t *testing.T, width int64) *browser {
	t.Helper()
	program := os.Getenv("CQLBULK_TEST_CHROMIUM")
	require.NotEmpty(t, program, "make test-pages names a Chromium")
	options := append(
		chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true),
	)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	b := &browser{t, ctx, make(chan string, 100)}
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			b.complaints <- e.Entry.Text
		case *runtime.EventExceptionThrown:
			b.complaints <- e.ExceptionDetails.Text
		}
	}))
	_, err := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	b.do(chromedp.EmulateViewport(width, 1000))
	return b
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, actions...))
}

// give is what an action gives.
func give[T any](b *browser, action chromedp.Action[T]) T {
	b.t.Helper()
	given, err := chromedp.Run(b.ctx, action)
	require.NoError(b.t, err)
	return given
}

// text returns the text of the first element that a selector matches. It reads it in one step,
// because the page replaces its elements meanwhile.
func (b *browser) text(selector string) string {
	b.t.Helper()
	return b.ask(fmt.Sprintf("document.querySelector(%q).innerText", selector))
}

// ask is what a script gives.
func (b *browser) ask(script string) string {
	b.t.Helper()
	return give(b, chromedp.Evaluate[string]("String("+script+")"))
}

// wait waits until a script gives true.
func (b *browser) wait(script string) {
	b.t.Helper()
	give(b, chromedp.Poll[bool](script))
}

// look takes pictures of the page by light and by dark, in which its paper and its ink differ.
func (b *browser) look(name string) {
	b.t.Helper()
	const colours = "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color"
	told := make(map[string]bool)
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(
			b.ctx,
			emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			},
		)
		require.NoError(b.t, err)
		picture := give(b, chromedp.FullScreenshot(100))
		told[b.ask(colours)] = true
		if dir := os.Getenv("CQLBULK_TEST_PICTURES"); dir != "" {
			require.NoError(b.t, os.MkdirAll(dir, 0o700))
			require.NoError(
				b.t,
				os.WriteFile(filepath.Join(dir, name+"-"+scheme+".png"), picture, 0o600),
			)
		}
	}
	require.Len(b.t, told, 2)
	b.requireFits()
}

// requireCalm wants that the browser had nothing to complain of.
func (b *browser) requireCalm() {
	b.t.Helper()
	select {
	case text := <-b.complaints:
		b.t.Fatal(text)
	default:
	}
}

// requireFits wants that the page does not scroll sideways, that no part of it is cut off, and that
// no text stands on another. What scrolls in a box of its own may be cut off below.
func (b *browser) requireFits() {
	b.t.Helper()
	require.Equal(
		b.t,
		"true",
		b.ask("document.documentElement.scrollWidth <= innerWidth"),
		"the page is no wider than the window",
	)
	require.Empty(
		b.t,
		b.ask(
			`[...document.querySelectorAll("main *, footer *")].filter(e => !e.closest(".aside, svg, noscript") && e.getClientRects().length).filter(e => {
		var box = e.getBoundingClientRect();
		return box.right > innerWidth + 1 || box.left < -1 || getComputedStyle(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1;
	}).map(e => e.outerHTML.slice(0, 80)).join()`,
		),
		"cut off at a side",
	)
	require.Empty(b.t, b.ask(`(function () {
		var boxes = [], over = [];
		var all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (all.nextNode()) {
			var text = all.currentNode, within = text.parentElement, range = document.createRange();
			if (text.data.trim() && within.getClientRects().length && !within.closest(".aside, noscript, .log ol, .strips.many")) {
				range.selectNodeContents(text);
				[...range.getClientRects()].forEach(box => boxes.push({ box, text }));
			}
		}
		boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
			var wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
			var high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
			if (a.text !== b.text && wide > 1 && high > 3) { over.push(a.text.data.trim() + " over " + b.text.data.trim()); }
		}));
		return over.join("; ");
	})()`), "texts overlap")
}

// requireLegible wants that text differs enough from its ground: a contrast of 4.5 to 1 (WCAG 2.2,
// 1.4.3).
func (b *browser) requireLegible() {
	b.t.Helper()
	require.Empty(b.t, b.ask(`(function () {
		var linear = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
		var light = c => {
			var [r, g, b] = c.map(linear);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		var rgb = text => text.match(/[\d.]+/g).map(Number);
		var ground = e => {
			for (; e; e = e.parentElement) {
				var c = rgb(getComputedStyle(e).backgroundColor);
				if (c.length === 3 || c[3] === 1) { return c.slice(0, 3); }
			}
			return [255, 255, 255];
		};
		return [...document.querySelectorAll("main *, footer *")].filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && e.getClientRects().length && !e.closest("noscript")).filter(e => {
			var a = light(rgb(getComputedStyle(e).color).slice(0, 3)), b = light(ground(e));
			return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
		}).map(e => e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40)).join("; ");
	})()`))
}

// follow opens the page of a run, and waits for its first update, which replaces all parts.
func (b *browser) follow(s *Server) {
	b.t.Helper()
	b.do(chromedp.Navigate(s.URL()))
	b.wait("document.querySelector('#note').textContent.startsWith('Live')")
}

// windows are the widths of a phone, a laptop and a large screen.
var windows = map[string]int64{"390": 390, "1280": 1280, "1920": 1920}

func TestPageInABrowser(t *testing.T) {
	for name, width := range windows {
		t.Run(name, func(t *testing.T) {
			w, run := newRun(t)
			s := serve(t, w)
			b := newBrowser(t, width)
			b.follow(s)
			require.Regexp(
				t,
				"^Running: 25.0\u00a0% done.* So far 42 rows were rejected and 1 token range failed[.]$",
				b.text("h1"),
			)
			require.Equal(t, "1,234,567", b.text("[data-figure=rows]"))
			require.Equal(t, "2", b.ask("document.querySelectorAll('.strips svg').length"))
			const cells = "(document.querySelectorAll('.strips svg')[%d].querySelector('path.%s')?.getAttribute('d').match(/M/g).length ?? 0)"
			require.Equal(
				t,
				"48",
				b.ask(fmt.Sprintf(cells, 0, "l9")),
				"half of the first node's ring is read",
			)
			require.Equal(t, "48", b.ask(fmt.Sprintf(cells, 0, "l0")))
			require.Equal(t, "1", b.ask(fmt.Sprintf(cells, 0, "under")))
			require.Equal(
				t,
				"48",
				b.ask(fmt.Sprintf(cells, 1, "f9")),
				"half of the second node's failed",
			)
			require.Contains(
				t,
				b.ask("document.querySelector('.strips svg').getAttribute('aria-label')"),
				"a: 50.0 % read, 0 rows, 50.0 % of the ring, 1 request under way",
			)
			require.Equal(
				t,
				hostile,
				b.ask("document.querySelector('.rejects code').textContent"),
				"what is hostile is text",
			)
			require.Equal(t, "25.0 % load shop.orders", b.ask("document.title"))
			b.requireLegible()

			// A view of the ring that is chosen stays, as does what is scrolled to.
			b.do(chromedp.Click("input[value=failures]"))
			require.Equal(
				t,
				"0",
				b.ask(fmt.Sprintf(cells, 0, "l9")),
				"the view of failures shows no progress",
			)
			for range 100 {
				w.Say("a line")
			}
			b.wait("document.querySelectorAll('.log li').length === 60")
			b.ask("document.querySelector('.log ol').scrollTop = 200")
			run.Counters.Rows.Store(2_000_567)
			b.wait("document.querySelector('[data-figure=rows]').textContent === '2,000,567'")
			require.Contains(t, b.text("#note"), "Live")
			require.Equal(t, "200", b.ask("document.querySelector('.log ol').scrollTop"))
			require.Equal(
				t,
				"failures",
				b.ask("document.querySelector('.views input:checked').value"),
			)
			require.Equal(t, "0", b.ask(fmt.Sprintf(cells, 0, "l9")))

			// The command that resumes the run can be copied.
			b.do(chromedp.Click(".next .copy"))
			b.wait(
				"['Copied', 'Selected'].includes(document.querySelector('.next .copy').textContent)",
			)

			b.wait("document.querySelectorAll('.plot canvas').length >= 1")
			require.Equal(t, "rows", b.ask("document.querySelector('[data-chart]').dataset.chart"))
			b.look("page-" + name + "-run")

			w.Advise("cqlbulk retry a-run", nil)
			w.End(board.Partly, "")
			s.Close()
			b.wait("document.querySelector('#note').textContent.startsWith('The run has ended')")
			require.Contains(t, b.text("h1"), "Done, but not for all")
			require.Equal(t, "cqlbulk retry a-run", b.text(".next code"))
			b.look("page-" + name + "-end")
			b.requireLegible()
			b.requireCalm()
		})
	}
}

func TestReportInABrowser(t *testing.T) {
	for name, width := range windows {
		t.Run(name, func(t *testing.T) {
			r := newReport(t)
			r.State.History = lively(300)
			r.State.TargetP99, r.State.HeldP99 = 0.02, 0.048
			b := newBrowser(t, width)
			b.open(r)
			require.Contains(t, b.text("h1"), "Done, but not for all")
			require.Equal(t, "p99 48.0ms ABOVE target 20.0ms", b.text("[data-figure=held]"))
			require.Equal(t, "3", b.ask("document.querySelectorAll('.count').length"))
			require.Equal(
				t,
				hostile,
				b.ask("document.querySelector('.count[data-by=partition] code').textContent"),
			)
			require.Equal(
				t,
				"3",
				b.ask("document.querySelectorAll('.plot canvas').length"),
				"rows, bytes and latency",
			)
			const heights = "[...document.querySelectorAll('.plot')].map(p => p.clientHeight).join()"
			high := b.ask("(drawing.all(), " + heights + ")")
			require.Equal(
				t,
				high,
				b.ask("(drawing.all(), drawing.all(), "+heights+")"),
				"charts do not grow",
			)
			require.Equal(
				t,
				"96",
				b.ask(
					"document.querySelector('.strips svg').querySelectorAll('path.l9, path.l0').length && document.querySelector('.strips svg').dataset.done.length",
				),
			)
			require.Equal(
				t,
				"0",
				b.ask("document.querySelectorAll('img, link, script[src]').length"),
			)
			b.look("report-" + name)
			b.requireLegible()
			b.requireCalm()
		})
	}
}

// open shows a report as the file that it is.
func (b *browser) open(r Report) {
	b.t.Helper()
	var text strings.Builder
	require.NoError(b.t, WriteReport(&text, r))
	path := filepath.Join(b.t.TempDir(), "report.html")
	require.NoError(b.t, os.WriteFile(path, []byte(text.String()), 0o600))
	b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: path}).String()))
}

// A ring of 300 nodes and 100,000 ranges fits a phone, too.
func TestLargeClusterInABrowser(t *testing.T) {
	w, _ := newLargeRun(t)
	w.End(board.Interrupted, "interrupted")
	for name, width := range windows {
		t.Run(name, func(t *testing.T) {
			b := newBrowser(t, width)
			b.open(Report{State: w.State()})
			require.Equal(t, "300", b.ask("document.querySelectorAll('.strips svg').length"))
			require.Contains(t, b.text(".badnodes"), "Failures on 10.0.0.6")
			b.look("large-" + name)
			b.requireCalm()
		})
	}
}

// The page of such a run follows it.
func TestLargeClusterIsFollowedInABrowser(t *testing.T) {
	w, run := newLargeRun(t)
	s := serve(t, w)
	b := newBrowser(t, windows["1280"])
	b.follow(s)
	require.Equal(t, "true", b.ask("document.querySelectorAll('.strips svg path').length > 300"))
	const bad = "document.querySelectorAll('.strips .bad path.f9').length"
	require.Equal(t, "1", b.ask(bad), "the node that has failures")
	b.do(chromedp.Click("input[value=failures]"))
	run.Ring.Failed(token.Whole(token.Murmur3))
	w.End(board.Done, "") // a page begins with another view then
	s.Close()
	b.wait("document.querySelector('#note').textContent.startsWith('The run has ended')")
	require.Equal(t, "300", b.ask(bad), "each node has failures by now")
	require.Equal(
		t,
		"failures",
		b.ask("document.querySelector('.views input:checked').value"),
		"the view that was chosen stays",
	)
	require.Contains(t, b.text(".badnodes"), "and 292 more nodes")
	b.look("large-page-1280")
	b.requireLegible()
	b.requireCalm()
}

// A run by streaming shows its stages.
func TestStreamedInABrowser(t *testing.T) {
	w := newStreamedRun(t)
	for name, width := range windows {
		t.Run(name, func(t *testing.T) {
			s := w.State()
			s.History = lively(60)
			for i := range s.History {
				h := &s.History[i]
				h.Streamed, h.P50, h.P99, h.HeldP99 = 24<<20, 0, 0, 0
			}
			b := newBrowser(t, width)
			b.open(Report{State: s})
			require.Equal(t, "2", b.ask("document.querySelectorAll('.stages progress').length"))
			require.Equal(
				t,
				"2",
				b.ask("document.querySelectorAll('.plot canvas').length"),
				"rows and bytes, no latency",
			)
			b.look("streamed-" + name)
			b.requireLegible()
			b.requireCalm()
		})
	}
}
