"""Runs commands on a terminal of its own and draws what is seen there as an animated SVG.

usage: record.py FOLDER FILE.svg

The commands are those of SCENE below, run one after the other in FOLDER. Typing is played; all else is what the programs
wrote, when they wrote it, and waits that are long are cut short. The picture needs no fonts, scripts or
other files, looks the same by day and by night, and stands still, at its end, where motion is unwanted.
"""

import html
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pyte

COLUMNS, LINES = 108, 23

# A command, and the share in percent at which it is killed (None: it runs to its end).
SCENE = [
    ("cqlbulk load demo.flights flights.csv --null-string NA", 45),
    ("cqlbulk status", None),
    ("cqlbulk resume --last", None),
    ("cqlbulk scan demo.flights -o flights-out.csv --via stream", None),
]

TYPED = 0.045  # seconds a key
EVERY = 0.25  # seconds between two frames of a program that writes
LAST = 6.0  # seconds that the end is shown

CELL, LINE, MARGIN, BAR = 8.43, 19, 14, 30  # pixels
COLORS = {
    "default": "#d8dee9", "red": "#ff7b72", "green": "#7ee787", "brown": "#e3b341", "blue": "#79c0ff",
    "magenta": "#d2a8ff", "cyan": "#76e3ea", "white": "#ffffff", "black": "#8b949e",
}


class Recorder:
    def __init__(self, folder):
        self.folder = folder
        self.screen = pyte.Screen(COLUMNS, LINES)
        self.screen.set_mode(pyte.modes.LNM)
        self.stream = pyte.ByteStream(self.screen)
        self.frames = []  # (seconds since the beginning, lines)
        self.now = 0.0

    def write(self, data, seconds):
        self.stream.feed(data)
        self.now += seconds

    def frame(self):
        lines = [self.line(y) for y in range(LINES)]
        if not self.frames or self.frames[-1][1] != lines:
            self.frames.append((self.now, lines))

    def line(self, y):
        """The line as runs of one style: (column, text, color, bold)."""
        runs = []
        for x in range(COLUMNS):
            c = self.screen.buffer[y][x]
            style = (c.fg if c.fg in COLORS else "default", c.bold)
            if runs and runs[-1][2:] == style:
                runs[-1] = (runs[-1][0], runs[-1][1] + c.data, *style)
            else:
                runs.append((x, c.data, *style))
        if runs:
            runs[-1] = (runs[-1][0], runs[-1][1].rstrip(), *runs[-1][2:])
        return tuple(r for r in runs if r[1].strip())

    def type(self, command):
        self.write(b"\x1b[32m$\x1b[0m ", 0.6)
        self.frame()
        for i in range(0, len(command), 3):
            self.write(command[i : i + 3].encode(), 3 * TYPED)
            self.frame()
        self.write(b"\r\n", 0.4)

    def run(self, command, killed):
        self.type(command)
        leader, follower = pty.openpty()
        os.system(f"stty rows {LINES} cols {COLUMNS} <{os.ttyname(follower)}")
        env = dict(os.environ, TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(LINES))
        process = subprocess.Popen(
            ["bash", "-c", ("exec " if killed else "") + command], cwd=self.folder, env=env,
            stdin=follower, stdout=follower, stderr=follower, start_new_session=True,
        )
        os.close(follower)
        last = time.monotonic()
        while True:
            share = re.search(r"(\d+\.\d+)%", "\n".join(self.screen.display))
            if killed and share and float(share[1]) >= killed:
                os.kill(process.pid, signal.SIGKILL)
                killed = None
            ready, _, _ = select.select([leader], [], [], 0.05)
            if not ready:
                continue
            try:
                data = os.read(leader, 1 << 16)
            except OSError:
                break
            if not data:
                break
            at = time.monotonic()
            self.write(data, min(at - last, 1.5))
            last = at
            if not self.frames or self.now - self.frames[-1][0] >= EVERY:
                self.frame()
        os.close(leader)
        status = process.wait()
        if status == -signal.SIGKILL:
            if self.screen.cursor.x > 0:
                self.write(b"\r\n", 0)
            self.write(b"\x1b[31mKilled\x1b[0m\r\n", 0)
        elif status != 0:
            sys.exit(f"record: {command}: exit status {status}\n" + "\n".join(self.screen.display))
        self.frame()
        self.now += 1.2


def draw(frames, path):
    """Each line that is ever seen is drawn once, and frames are made of them."""
    width, height = COLUMNS * CELL + 2 * MARGIN, LINES * LINE + BAR + MARGIN
    total = frames[-1][0] + LAST
    rows, uses = {}, []
    for _, lines in frames:
        for line in lines:
            if line and line not in rows:
                rows[line] = f"r{len(rows)}"
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" aria-labelledby="t">',
        '<title id="t">A load is killed and resumed, and a scan by streaming gives the same checksum</title>',
        "<style>",
        "text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:14px;white-space:pre}",
        ".b{font-weight:bold}",
        *(f".{name}{{fill:{color}}}" for name, color in COLORS.items()),
        f".f{{visibility:hidden;animation:{total:.2f}s step-end infinite}}",
        f"#f{len(frames) - 1}{{visibility:visible}}",
    ]
    for i, (at, _) in enumerate(frames):
        end = frames[i + 1][0] if i + 1 < len(frames) else total
        shown, gone = at / total * 100, end / total * 100
        steps = f"0%{{visibility:{'visible' if i == 0 else 'hidden'}}}{shown:.3f}%{{visibility:visible}}"
        if i + 1 < len(frames):
            steps += f"{gone:.3f}%{{visibility:hidden}}"
        out.append(f"@keyframes k{i}{{{steps}}}#f{i}{{animation-name:k{i}}}")
    out += [
        "@media(prefers-reduced-motion:reduce){.f{animation:none}}",
        "</style>",
        f'<rect width="{width:.0f}" height="{height}" rx="8" fill="#0d1117" stroke="#444c56"/>',
        *(f'<circle cx="{18 + 18 * i}" cy="16" r="5" fill="{c}"/>' for i, c in enumerate(("#ff5f57", "#febc2e", "#28c840"))),
        "<defs>",
    ]
    for line, name in rows.items():
        parts = []
        for column, text, color, bold in line:
            lead = len(text) - len(text.lstrip())
            text, column = text.strip(), column + lead
            style = color + (" b" if bold else "")
            # The length keeps columns in line, whatever the font is.
            parts.append(
                f'<text class="{style}" x="{MARGIN + column * CELL:.1f}" textLength="{len(text) * CELL:.1f}">{html.escape(text, quote=False)}</text>'
            )
        out.append(f'<g id="{name}">{"".join(parts)}</g>')
    out.append("</defs>")
    for i, (_, lines) in enumerate(frames):
        uses = "".join(f'<use href="#{rows[line]}" y="{BAR + (y + 1) * LINE - 5}"/>' for y, line in enumerate(lines) if line)
        out.append(f'<g class="f" id="f{i}">{uses}</g>')
    out.append("</svg>")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")
    print(f"{path}: {len(frames)} frames of {total:.0f} s, {os.path.getsize(path) >> 10} KiB")


def main():
    folder, path = sys.argv[1:]
    recorder = Recorder(folder)
    for command, killed in SCENE:
        recorder.run(command, killed)
    recorder.write(b"\x1b[32m$\x1b[0m ", 0)
    recorder.frame()
    draw(recorder.frames, path)


if __name__ == "__main__":
    main()
