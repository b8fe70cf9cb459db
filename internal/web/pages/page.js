// The page follows the run: each event has the part that changes, made and escaped by the program.
(function () {
  "use strict";
  var live = document.getElementById("live");
  var note = document.getElementById("note");
  var stream = new EventSource("events");

  // Where parts that scroll by themselves stand, by the section that they are in.
  function places() {
    var all = {};
    live.querySelectorAll(".wide, .log ol").forEach(function (part) {
      part.scrolled = [part.scrollLeft, part.scrollTop]; // they are gone with its place in the page
      all[part.closest("section").className] = part;
    });
    return all;
  }
  function show(event) {
    var before = places();
    live.innerHTML = JSON.parse(event.data);
    var now = places();
    Object.keys(now).forEach(function (name) {
      if (before[name]) {
        now[name].scrollLeft = before[name].scrolled[0];
        now[name].scrollTop = before[name].scrolled[1];
      }
    });
    document.title = live.querySelector("[data-title]").dataset.title;
  }
  stream.addEventListener("state", function (event) {
    if (document.getSelection().isCollapsed) { // what is being copied stays
      show(event);
    }
    note.textContent = "Live: it changes every second, and ends with the run.";
  });
  stream.addEventListener("end", function (event) {
    stream.close();
    show(event);
    note.textContent = "The run has ended. This is its last state.";
  });
  stream.addEventListener("error", function () {
    note.textContent = "The program does not answer: it has ended, or cannot be reached. This is what it told last.";
  });
})();
