# cqlbulk: build, try, test. `make help` lists the targets.

VERSION ?= $(or $(shell git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null | sed 's/^v//'),0.1.0-dev)
FUZZTIME ?= 30s
SCHEDULES ?= 3000
CHAOSTIME ?= 1h
RUNS ?= 500
SEED ?=
DIST ?= dist
BIN ?= bin/cqlbulk

MODULE := github.com/cqlbulk/cqlbulk
COMMIT ?= $(shell git describe --always --abbrev=40 --exclude '*' --dirty 2>/dev/null)
DATE ?= $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null)
LDFLAGS := -s -w -X $(MODULE)/internal/version.version=$(VERSION) -X $(MODULE)/internal/version.commit=$(COMMIT) -X $(MODULE)/internal/version.date=$(DATE)
# What the compiler optimizes by. It is not called default.pgo, which tests would be built by as well.
PGO := cmd/cqlbulk/cqlbulk.pgo
BENCHED := ./pkg/cqltext ./pkg/dsv ./pkg/token ./internal/scan ./internal/load

LINTER_MODULE := github.com/golangci/golangci-lint/v2/cmd/golangci-lint
LINTER_VERSION := v2.15.0
LINTER := .cache/bin/golangci-lint-$(LINTER_VERSION)
ACTIONLINT_MODULE := github.com/rhysd/actionlint/cmd/actionlint
ACTIONLINT_VERSION := v1.7.12
ACTIONLINT := .cache/bin/actionlint-$(ACTIONLINT_VERSION)
# It would call these two where they are installed, and so find other things on other machines.
LINT_WORKFLOWS := $(ACTIONLINT) -shellcheck= -pyflakes=

.DEFAULT_GOAL := help
.PHONY: help check build man dist demo test test-long test-versions test-rings test-peers test-pages test-monitoring test-dist lint fmt bench bench-peers bench-unload bench-scale profile fuzz chaos differ flights clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 22

check: $(LINTER) $(ACTIONLINT) ## all tests that need no database, and the linter's fast part: under a minute
	deploy/object-storage/install >/dev/null
	go test ./...
	go vet -tags integration ./internal/test/integration
	$(LINTER) run --fast-only ./...
	$(LINT_WORKFLOWS)

build: ## the program, one static binary: BIN (bin/cqlbulk)
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -pgo=$(PGO) -ldflags "$(LDFLAGS)" -o $(BIN) ./cmd/cqlbulk

man: ## the manual pages, of the text that --help-all has: bin/man
	go run ./tools/manpages -version "$(VERSION)" -date "$(firstword $(subst T, ,$(DATE)))" bin/man

dist: ## what is released: archives, deb, rpm, image, SBOMs and checksums, the same bytes each time, in DIST (dist)
	VERSION="$(VERSION)" COMMIT="$(COMMIT)" PGO="$(PGO)" LDFLAGS="$(LDFLAGS)" deploy/dist $(DIST)

demo: build ## a local Cassandra, and a file into it and out of it again
	deploy/demo

test: build ## all tests, on local Cassandra clusters made for them and wiped afterwards
	deploy/test

test-long: build ## the integration tests in full length, on such clusters, on other racks and data centers, and the program's scripts with the race detector
	CQLBULK_TEST_LONG=1 deploy/test -timeout 150m
	go test -race -count=1 -timeout 40m ./internal/cli
	deploy/test-layouts

test-versions: build ## types, a scan, a load, a count, a kill and a resume on each version of Cassandra
	deploy/test-versions

test-rings: build ## loads, clones, scans and counts while nodes join, move, die, are replaced, leave and are removed, on each version
	deploy/test-rings

test-peers: build ## DSBulk and the Spark Cassandra Connector beside cqlbulk: each reads what the other wrote, and both write the same
	deploy/test-peers

test-pages: ## the page and the report of a run in a Chromium, fetched where there is none; pictures in .cache/pages
	deploy/test-pages

test-monitoring: ## the alert rules and their tests, with Prometheus's tool, fetched where there is none
	deploy/test-monitoring --rules

test-dist: $(LINTER) ## make dist twice, compare, install and run what it makes, and check the image and the units
	cd tools/dist && $(CURDIR)/$(LINTER) run ./...
	VERSION="$(VERSION)" COMMIT="$(COMMIT)" PGO="$(PGO)" LDFLAGS="$(LDFLAGS)" deploy/test-dist

lint: $(LINTER) $(ACTIONLINT) ## vet the code, its format and its architecture, and the workflows of CI
	$(LINTER) run ./...
	$(LINT_WORKFLOWS)

fmt: ## format the Go files
	gofmt -w cmd internal pkg tools

bench: ## the Go benchmarks
	go test -run '^$$' -bench . -benchmem $(BENCHED)

bench-peers: build ## loads beside cqlsh, DSBulk, sstableloader and PostgreSQL; a page of it in docs/
	deploy/bench-peers

bench-unload: build ## scans, through CQL and past it, beside cqlsh and DSBulk; a page of it in docs/
	deploy/bench-peers --unload

bench-scale: build ## large clusters, long lines, many rows, large rows and many files; tables in docs/sizing.md
	deploy/bench-scale

profile: ## what the compiler optimizes the program by, from loads and scans on a Cassandra: cmd/cqlbulk/cqlbulk.pgo
	deploy/profile

fuzz: ## every fuzz target for FUZZTIME (30s)
	deploy/fuzz $(FUZZTIME)

chaos: ## SCHEDULES (3000) of faults, kills and resumes, and as many of rings that change, each for CHAOSTIME (1h) at most
	deploy/chaos $(SCHEDULES) $(CHAOSTIME)

differ: ## RUNS (500) tables by chance on a Cassandra made for them, out and in by every way and compared; SEED is the first; NODES=3 has replicas differ
	NODES=$(NODES) deploy/differ $(RUNS) $(SEED)

flights: ## fetch the whole sample file, 31 MB; prints its path
	@testdata/fetch-flights

clean: ## remove what was built, and the demo's files
	rm -rf bin dist .cache/bin .cache/demo

$(LINTER):
	@mkdir -p $(@D)
	@echo "building golangci-lint $(LINTER_VERSION); this takes some minutes, once" >&2
	GOBIN=$(CURDIR)/$(@D) nice -n 10 go install $(LINTER_MODULE)@$(LINTER_VERSION)
	mv $(@D)/golangci-lint $@

$(ACTIONLINT):
	@mkdir -p $(@D)
	GOBIN=$(CURDIR)/$(@D) nice -n 10 go install $(ACTIONLINT_MODULE)@$(ACTIONLINT_VERSION)
	mv $(@D)/actionlint $@
