package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// machine returns facts about the machine and the versions that the figures were measured with.
func (b *bench) machine(ctx context.Context) []fact {
	facts := []fact{
		{
			"processors",
			fmt.Sprintf(
				"%d, %s",
				runtime.NumCPU(),
				find("/proc/cpuinfo", `(?m)^model name\s*: (.*)$`),
			),
		},
		{"memory", find("/proc/meminfo", `MemTotal:\s*(.*)`)},
		{
			"system",
			find(
				"/etc/os-release",
				`PRETTY_NAME="(.*)"`,
			) + ", Linux " + find(
				"/proc/sys/kernel/osrelease",
				`(.*)`,
			),
		},
		{
			"cqlbulk",
			said(
				ctx,
				b.node.cqlbulk,
				"--version",
			) + ", commit " + said(
				ctx,
				"git",
				"-C",
				b.root,
				"describe",
				"--always",
				"--dirty",
			),
		},
		{
			"Cassandra",
			b.node.version + ", one node, 16 tokens, a heap of " + find(
				filepath.Join(b.root, ".cache/cassandra", b.cluster, "cluster.env"),
				`(?m)^heap=(.*)$`,
			),
		},
		{"Java", said(ctx, javaProgram(), "--version")},
	}
	if b.cqlsh != "" {
		facts = append(
			facts,
			fact{"cqlsh", find(filepath.Join(b.root, ".cache/cqlsh/versions"), `(.*)`)},
		)
	}
	if b.dsbulk != "" {
		facts = append(
			facts,
			fact{"DSBulk", strings.TrimPrefix(filepath.Base(b.dsbulk), "dsbulk-")},
		)
	}
	if b.postgres != nil {
		version, err := b.postgres.version(ctx)
		if err != nil {
			version = err.Error()
		}
		facts = append(facts, fact{"PostgreSQL", version})
	}
	return facts
}

// find gives what the parentheses of a pattern match in a file.
func find(file, pattern string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	match := regexp.MustCompile(pattern).FindSubmatch(text)
	if match == nil {
		return "unknown"
	}
	return strings.TrimSpace(string(match[1]))
}

// said gives the first line that a program prints.
func said(ctx context.Context, program string, args ...string) string {
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

// loadAverage is that of the last minute.
func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	load, _ := strconv.ParseFloat(first, 64)
	return load
}

// describe returns a report of a contestant. Its command lines have no folders of this machine.
func (b *bench) describe(c *contestant, datasets []*dataset) contestantReport {
	r := contestantReport{Name: c.name, Title: c.title, Settings: c.settings, Way: c.way}
	for _, d := range datasets {
		var steps []string
		for _, args := range c.steps(b, d, "SCRATCH") {
			words := []string{filepath.Base(args[0])}
			for _, arg := range args[1:] {
				words = append(words, setting.ShellQuote(strings.ReplaceAll(arg, b.root+"/", "")))
			}
			steps = append(steps, strings.Join(words, " "))
		}
		r.Commands = append(r.Commands, strings.Join(steps, " && "))
	}
	return r
}
