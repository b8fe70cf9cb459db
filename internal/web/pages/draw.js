// Draws what the program sends as data: the ring, the charts, and buttons that copy.
var drawing = (function () {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg";

  // wanted is the view of the ring that the reader has chosen; null: the one that the page begins with.
  var wanted = null;

  // view returns the view of the ring that is shown.
  function view() {
    var chosen = document.querySelector('.views input:checked');
    return chosen ? chosen.value : "progress";
  }

  // paths adds a path to a drawing for each kind of cell, as kind(i) names it; "" for none.
  function paths(svg, cells, y, height, kind) {
    var all = {};
    for (var i = 0; i < cells; i++) {
      var name = kind(i);
      if (name) {
        all[name] = (all[name] || "") + "M" + i + " " + y + "h1v" + height + "h-1z";
      }
    }
    Object.keys(all).forEach(function (name) {
      var path = document.createElementNS(SVG, "path");
      path.setAttribute("class", name);
      path.setAttribute("d", all[name]);
      svg.appendChild(path);
    });
  }

  // strip draws the ring of a node: each text has a digit for each cell.
  function strip(svg, shown) {
    var data = svg.dataset, cells = data.failed.length;
    svg.replaceChildren();
    svg.setAttribute("viewBox", "0 0 " + cells + " 10");
    paths(svg, cells, 0, 8, function (i) {
      if (shown === "failures") {
        return data.failed[i] === "0" ? "l0" : "f" + data.failed[i];
      }
      if (data.failed[i] !== "0") {
        return "f9";
      }
      return "l" + (shown === "size" ? data.rows[i] : data.done[i]);
    });
    paths(svg, cells, 8.6, 1.4, function (i) { return data.under[i] === "0" ? "" : "under"; });
  }

  function ring() {
    var choice = wanted && document.querySelector('.views input[value="' + wanted + '"]');
    if (choice) {
      choice.checked = true; // the buttons may have been created again
    }
    var shown = view(), views = document.querySelector(".views");
    if (views) {
      views.hidden = false;
    }
    document.querySelectorAll(".strips svg").forEach(function (svg) { strip(svg, shown); });
    document.querySelectorAll(".legend[data-view]").forEach(function (legend) { legend.hidden = legend.dataset.view !== shown; });
  }

  // The charts by their name. A chart is created again if its width, its lines or the colours change.
  var charts = {};

  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

  var HEIGHT = 210; // of a chart without its legend

  // stretch gives charts without a legend the height of those with one beside them.
  function stretch() {
    var legends = {}; // heights by the row of charts
    var each = function (f) { Object.keys(charts).forEach(function (name) { f(charts[name], charts[name].plot.offsetTop); }); };
    each(function (c, row) {
      if (c.legend) { legends[row] = Math.max(legends[row] || 0, c.plot.querySelector(".u-legend").offsetHeight); }
    });
    each(function (c, row) {
      var height = HEIGHT + (legends[row] || 0);
      if (!c.legend && c.u.height !== height) { c.u.setSize({ width: c.u.width, height: height }); }
    });
  }

  function gaps(list) { return list.map(function (n) { return n > 0 ? n : null; }); }

  // lines gives the lines of a chart: label, values, colour, and dashes where the line is no solid one.
  function lines(name, data) {
    var some = function (list) { return list.some(function (n) { return n > 0; }); };
    var all = [];
    if (name === "rows") {
      all.push(["rows/s", data.rows, "--done"]);
    } else if (name === "bytes") {
      if (some(data.bytes)) { all.push(["text", data.bytes, "--done"]); }
      if (some(data.streamed)) { all.push(["streamed", data.streamed, "--second", [6, 3]]); }
    } else {
      if (some(data.p99)) {
        all.push(["p50", gaps(data.p50), "--second", [2, 3]]);
        all.push(["p99", gaps(data.p99), "--done"]);
      }
      if (data.target) {
        all.push(["p99 of small reads", gaps(data.held), "--ink", [6, 3]]);
        all.push(["target", data.t.map(function () { return data.target; }), "--bad", [10, 5]]);
      }
    }
    return all;
  }

  function number(n) {
    if (n === null || n === undefined) { return "-"; }
    if (n >= 1e6) { return +(n / 1e6).toPrecision(3) + "M"; }
    if (n >= 1e4) { return +(n / 1e3).toPrecision(3) + "k"; }
    return n.toLocaleString("en-US", { maximumSignificantDigits: 3 });
  }

  // rest is what the legend shows of a line while the pointer is elsewhere: the last value, or the highest of a run that is over.
  function rest(list, over) {
    var highest = Math.max.apply(null, list.concat(0));
    return over ? "highest " + number(highest) : number(list[list.length - 1]);
  }

  function time(seconds) {
    var s = Math.round(seconds), two = function (n) { return (n < 10 ? "0" : "") + n; };
    return s < 3600 ? Math.floor(s / 60) + ":" + two(s % 60) : Math.floor(s / 3600) + ":" + two(Math.floor(s / 60) % 60) + ":" + two(s % 60);
  }

  function chart(figure, data) {
    var name = figure.dataset.chart, plot = figure.querySelector(".plot"), all = lines(name, data);
    var width = plot.clientWidth, ink = colour("--soft"), grid = colour("--line");
    var kind = [width, ink, data.over, all.map(function (l) { return l[0]; })].join();
    var values = [data.t].concat(all.map(function (l) { return l[1]; }));
    var old = charts[name];
    if (old && old.kind === kind && old.plot === plot) {
      old.u.setData(values);
      return;
    }
    if (old) {
      old.u.destroy();
    }
    var axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 4 }, font: "12px system-ui, sans-serif" };
    var legend = all.length > 1;
    var u = new uPlot({
      width: width, height: HEIGHT, cursor: { y: false }, legend: { show: legend },
      scales: { x: { time: false }, y: { range: function (_, __, most) { return [0, most > 0 ? most * 1.1 : 1]; } } },
      axes: [
        Object.assign({ size: 28, space: 60, incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400], values: function (_, ticks) { return ticks.map(time); } }, axis),
        Object.assign({ size: 48, values: function (_, ticks) { return ticks.map(number); } }, axis),
      ],
      series: [{ label: "time", value: function (u, n) { return time(n === null ? u.data[0][u.data[0].length - 1] : n); } }].concat(all.map(function (l) {
        return { label: l[0], stroke: colour(l[2]), width: 2, dash: l[3], points: { show: false }, spanGaps: false, value: function (u, n, i, at) { return at === null ? rest(u.data[i], data.over && l[0] !== "target") : number(n); } };
      })),
    }, values, plot);
    charts[name] = { u: u, kind: kind, plot: plot, legend: legend };
  }

  function allCharts() {
    var source = document.querySelector("[data-series]");
    if (source) {
      var data = JSON.parse(source.dataset.series);
      document.querySelectorAll("[data-chart]").forEach(function (figure) { chart(figure, data); });
      queueMicrotask(stretch); // uPlot lays a new chart out in a microtask of its own
    }
  }

  // selected marks a text that cannot be copied by a script, so that the reader copies it.
  function selected(node) {
    var range = document.createRange();
    range.selectNodeContents(node);
    document.getSelection().removeAllRanges();
    document.getSelection().addRange(range);
  }

  function copy(button) {
    var answer = function (text) {
      button.textContent = text;
      setTimeout(function () { button.textContent = "Copy"; }, 2000);
    };
    var byHand = function () {
      selected(button.parentNode.querySelector("code"));
      var done = false;
      try { done = document.execCommand("copy"); } catch (e) { /* it stays selected */ }
      answer(done ? "Copied" : "Selected");
    };
    if (navigator.clipboard) {
      navigator.clipboard.writeText(button.dataset.copy).then(function () { answer("Copied"); }, byHand);
    } else {
      byHand(); // a page without TLS from another host has no clipboard
    }
  }

  function buttons() {
    document.querySelectorAll(".copy").forEach(function (button) { button.hidden = false; });
  }

  function all() { ring(); allCharts(); buttons(); }

  document.addEventListener("change", function (event) {
    if (event.target.closest(".views")) {
      wanted = event.target.value;
      ring();
    }
  });
  document.addEventListener("click", function (event) {
    var button = event.target.closest(".copy");
    if (button) { copy(button); }
  });
  window.addEventListener("resize", allCharts);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () { requestAnimationFrame(allCharts); });
  all();
  return { all: all };
})();
