// The page follows the run: each event has the parts that changed, made and escaped by the program.
(function () {
  "use strict";
  var live = document.getElementById("live");
  var note = document.getElementById("note");
  var stream = new EventSource("events");
  var waiting = {}; // parts that are not shown yet, as something in them is being copied

  function copying(part) {
    var selection = document.getSelection();
    return !selection.isCollapsed && part.contains(selection.anchorNode);
  }

  // A list that scrolls by itself stays where it is; the log follows its last line, if that is in sight.
  function put(part, html) {
    var before = part.querySelector("[tabindex]");
    var top = before ? before.scrollTop : 0;
    if (part.dataset.part === "log" && (!before || top + before.clientHeight >= before.scrollHeight - 4)) {
      top = 1e9;
    }
    var focused = before && before === document.activeElement;
    part.innerHTML = html;
    part.hidden = !html;
    var after = part.querySelector("[tabindex]");
    if (after) {
      after.scrollTop = top;
      if (focused) { after.focus({ preventScroll: true }); }
    }
  }

  function show(event) {
    var news = JSON.parse(event.data);
    Object.assign(waiting, news.parts);
    Object.keys(waiting).forEach(function (name) {
      var part = live.querySelector('[data-part="' + name + '"]');
      if (!copying(part)) {
        put(part, waiting[name]);
        delete waiting[name];
      }
    });
    document.title = news.title;
    drawing.all();
  }

  put(live.querySelector('[data-part="log"]'), live.querySelector('[data-part="log"]').innerHTML);

  stream.addEventListener("state", function (event) {
    show(event);
    note.textContent = "Live: the page changes every second and ends with the run.";
  });
  stream.addEventListener("end", function (event) {
    stream.close();
    show(event);
    note.textContent = "The run has ended. This is its last state.";
  });
  stream.addEventListener("error", function () {
    note.textContent = "The program does not answer: it has ended or cannot be reached. The page shows what it sent last.";
  });
})();
