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
)

// browser is a Chromium, which CQLBULK_TEST_CHROMIUM names. It has nothing to complain of, and takes pictures into the
// folder CQLBULK_TEST_PICTURES, where one is named.
type browser struct {
	t          *testing.T
	ctx        context.Context
	complaints chan string
}

func newBrowser(t *testing.T, width int64) *browser {
	t.Helper()
	program := os.Getenv("CQLBULK_TEST_CHROMIUM")
	require.NotEmpty(t, program, "make test-pages names a Chromium")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))
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

// text is the text of the first element of a selector, told in one step, since the page is made anew meanwhile.
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
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		require.NoError(b.t, err)
		picture := give(b, chromedp.FullScreenshot(100))
		told[b.ask(colours)] = true
		if dir := os.Getenv("CQLBULK_TEST_PICTURES"); dir != "" {
			require.NoError(b.t, os.MkdirAll(dir, 0o700))
			require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+"-"+scheme+".png"), picture, 0o600))
		}
	}
	require.Len(b.t, told, 2)
	require.Equal(b.t, "true", b.ask("document.documentElement.scrollWidth <= innerWidth"), "the page is no wider than the window")
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

func TestPageInABrowser(t *testing.T) {
	for name, width := range map[string]int64{"wide": 1200, "narrow": 380} {
		t.Run(name, func(t *testing.T) {
			w, run := newRun(t)
			s := serve(t, w)
			b := newBrowser(t, width)
			b.do(chromedp.Navigate(s.URL()))
			require.Equal(t, "under way", b.text(".phase"))
			require.Equal(t, "1,234,567", b.text("[data-figure=rows]"))
			require.Equal(t, "2", b.ask("document.querySelectorAll('svg.ring').length - 0"))
			require.Equal(t, "96", b.ask("document.querySelector('svg.ring').querySelectorAll('rect.cell').length"))
			require.Equal(t, "48", b.ask("document.querySelector('svg.ring').querySelectorAll('rect.done').length"), "half of the first node's ring is filled")
			require.Equal(t, "1", b.ask("document.querySelector('svg.ring').querySelectorAll('path.under').length"))
			require.Equal(t, "48", b.ask("document.querySelectorAll('svg.ring')[1].querySelectorAll('path.cross').length"), "what failed is crossed")
			require.Contains(t, b.ask("document.querySelector('svg.ring').getAttribute('aria-label')"), "a: 50.0 % done, 1 request under way")
			require.Equal(t, hostile, b.ask("document.querySelector('.rejects code').textContent"), "what is hostile is text")
			require.Equal(t, "25.0 % load shop.orders", b.ask("document.title"))
			b.look("page-" + name + "-run")

			// What is scrolled to stays, though the page is made anew.
			for range 100 {
				w.Say("a line")
			}
			b.wait("document.querySelectorAll('.log li').length > 100")
			b.ask("document.querySelector('.log ol').scrollTop = 200")
			run.Counters.Rows.Store(2_000_567)
			b.wait("document.querySelector('[data-figure=rows]').textContent === '2,000,567'")
			require.Contains(t, b.text("#note"), "Live")
			require.Equal(t, "200", b.ask("document.querySelector('.log ol').scrollTop"))

			w.End(board.Partly, "")
			s.Close()
			b.wait("document.querySelector('#note').textContent.startsWith('The run has ended')")
			require.Equal(t, "done, but for what failed", b.text(".phase"))
			b.look("page-" + name + "-end")
			b.requireCalm()
		})
	}
}

func TestReportInABrowser(t *testing.T) {
	for name, width := range map[string]int64{"wide": 1200, "narrow": 380} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			require.NoError(t, WriteReport(&text, newReport(t)))
			path := filepath.Join(t.TempDir(), "report.html")
			require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
			b := newBrowser(t, width)
			b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: path}).String()))
			require.Equal(t, "done, but for what failed", b.text(".phase"))
			require.Equal(t, "3", b.ask("document.querySelectorAll('.count').length"))
			require.Equal(t, hostile, b.ask("document.querySelector('.count[data-by=partition] code').textContent"))
			require.Equal(t, "0", b.ask("document.querySelectorAll('script, img, link').length"))
			b.look("report-" + name)
			b.requireCalm()
		})
	}
}
