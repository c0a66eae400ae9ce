// Search, figures that open large, tables that say when they scroll, the ledger's filter, folded code.
// Plain and small: nothing is loaded but the report's own list of words, when the search is first used.
"use strict";

(function zoom() {
  document.addEventListener("click", function (event) {
    var link = event.target.closest("a.zoom");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    var dialog = document.createElement("dialog");
    dialog.className = "large";
    dialog.setAttribute("aria-label", "Figure");
    dialog.appendChild(link.querySelector("img").cloneNode());
    dialog.addEventListener("click", function () { dialog.close(); });
    dialog.addEventListener("close", function () { dialog.remove(); link.focus(); });
    document.body.appendChild(dialog);
    dialog.showModal();
  });
})();

// A link to a place in what is folded opens it.
(function reveal() {
  function open() {
    var place = location.hash.slice(1), part;
    try { place = decodeURIComponent(place); } catch (error) { return; }  // a filter of the ledger
    part = place && document.getElementById(place);
    if (!part || !part.closest("details:not([open])")) return;
    for (var up = part; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    part.scrollIntoView();
  }
  window.addEventListener("hashchange", open);
  open();
})();

(function unfold() {
  var button = document.getElementById("unfold");
  if (!button) return;
  button.addEventListener("click", function () {
    var open = button.getAttribute("aria-pressed") !== "true";
    document.querySelectorAll("details.code").forEach(function (part) { part.open = open; });
    button.setAttribute("aria-pressed", open);
    button.textContent = open ? "hide code" : "show code";
  });
})();

// On a narrow screen, navigation is folded until its button is pressed.
(function fold() {
  document.body.classList.add("folds");
  document.querySelectorAll("button.fold").forEach(function (button) {
    var part = document.getElementById(button.getAttribute("aria-controls"));
    button.addEventListener("click", function () {
      var open = button.getAttribute("aria-expanded") !== "true";
      button.setAttribute("aria-expanded", open);
      part.classList.toggle("open", open);
    });
  });
})();

// What scrolls says so and takes the focus of the keyboard; what does not scroll is no stop of it.
(function scrollers() {
  var parts = document.querySelectorAll(".scroll, pre");
  function look() {
    parts.forEach(function (part) {
      var wide = part.scrollWidth > part.clientWidth + 1;
      part.classList.toggle("more", wide);
      if (wide) part.tabIndex = 0; else part.removeAttribute("tabindex");
    });
  }
  look();
  window.addEventListener("resize", look);
  window.addEventListener("load", look);
  document.addEventListener("toggle", look, true);
})();

(function ledger() {
  var form = document.querySelector("form.filter");
  if (!form) return;
  var rows = Array.prototype.slice.call(document.querySelectorAll("tbody.ledger tr"));
  function words(row, field) {
    var parts = field ? row.querySelectorAll("[data-field=" + field + "]") : [row];
    return Array.prototype.map.call(parts, function (p) { return p.textContent; }).join(" ").toLowerCase();
  }
  var shown = document.getElementById("shown"), texts = {}, from = 0, fit = [], most = 50;
  function turn(to) {
    from = to;
    rows.forEach(function (row) { row.hidden = true; });
    fit.slice(from, from + most).forEach(function (row) { row.hidden = false; });
    var which = fit.length > most ? ", these are " + (from + 1) + " to " + Math.min(from + most, fit.length) : "";
    shown.textContent = fit.length + " of " + rows.length + " rows" + which;
    form.back.disabled = !from;
    form.on.disabled = from + most >= fit.length;
  }
  function filter() {
    var field = form.field.value;
    // "table 4" is one place, not two words
    var asked = form.words.value.toLowerCase().match(/(?:table|figure|section|equation) [\d.]+|\S+/g) || [];
    function texted(column) {  // read only when words are asked for
      return texts[column] = texts[column] || rows.map(function (row) { return words(row, column); });
    }
    fit = rows.filter(function (row, i) {
      return (!form.paper.value || row.dataset.paper === form.paper.value) &&
        (!form.status.value || row.dataset.status === form.status.value) &&
        (!form.misprint.checked || row.hasAttribute("data-misprint")) &&
        (!form.weak.checked || texted("reason")[i].indexOf("weak:") === 0) &&
        asked.every(function (word) {  // a number is a whole one: the 2 of Table 2 is not that of 2021
          var text = texted(field)[i];
          if (!/(^| )[\d.]*\d$/.test(word)) return text.indexOf(word) >= 0;
          return new RegExp("(^|[^\\d.])" + word.replace(/\./g, "\\.") + "(?!\\d)").test(text);
        });
    });
    turn(0);
  }
  form.addEventListener("input", filter);
  form.back.addEventListener("click", function () { turn(from - most); });
  form.on.addEventListener("click", function () { turn(from + most); });
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  function fromAddress() {
    var asked = new URLSearchParams(location.hash.slice(1));
    ["paper", "status", "field", "words"].forEach(function (name) {
      if (asked.has(name)) form[name].value = asked.get(name);
    });
    form.misprint.checked = asked.has("misprint");
    filter();
  }
  window.addEventListener("hashchange", fromAddress);
  fromAddress();
})();

(function search() {
  var field = document.getElementById("search"), hits = document.getElementById("hits");
  if (!field) return;
  var ASKING = ["what", "is", "are", "a", "an", "the", "does", "do", "mean", "how", "why", "of"];
  var root = document.body.dataset.root, asked = false;
  function load() {
    if (asked) return;
    asked = true;
    var script = document.createElement("script");
    script.src = root + "assets/search.js";
    script.onload = find;
    document.head.appendChild(script);
  }
  function score(entry, words) {
    var title = (entry[1] + " " + entry[2]).toLowerCase(), text = entry[3].toLowerCase(), sum = 0;
    for (var i = 0; i < words.length; i++) {
      var inTitle = title.indexOf(words[i]) >= 0, inText = text.indexOf(words[i]) >= 0;
      if (!inTitle && !inText) return 0;
      sum += inTitle ? 3 : 1;
      if ((" " + title.replace(/[^\wα-ω-]+/g, " ") + " ").indexOf(" " + words[i] + " ") >= 0) sum += 1;
    }
    if (entry[2] === "Python") return sum + (words.indexOf(entry[1].toLowerCase().split(".").pop()) >= 0 ? 4 : -1);
    if (entry[2] !== "glossary") return sum;
    return sum + (title.split(/[^\wα-ω-]+/).indexOf(words[0]) >= 0 ? 6 : 2);  // an explanation comes first
  }
  function find() {
    var typed = field.value.toLowerCase().split(/[\s?]+/).filter(Boolean);
    var words = typed.filter(function (word) { return ASKING.indexOf(word) < 0; });
    words = words.length ? words : typed;  // "what is ESA" asks for ESA
    hits.textContent = "";
    hits.hidden = !words.length || !window.REPORT_WORDS;
    if (hits.hidden) return;
    var found = window.REPORT_WORDS.map(function (entry, i) { return [score(entry, words), i, entry]; })
      .filter(function (hit) { return hit[0] > 0; })
      .sort(function (a, b) { return b[0] - a[0] || a[1] - b[1]; });
    var groups = {};  // a section that stands in the report of each campaign is one hit
    found = found.filter(function (hit) {
      var page = hit[2][0].split("/"), first;
      var key = page.length > 1 ? page[page.length - 1].split("#")[0].split("__")[0] + hit[2][1] : hit[2][0] + hit[2][1];
      if ((first = groups[key])) first.push(hit); else groups[key] = hit.others = [hit];
      return !first;
    });
    var count = document.createElement("p");
    count.className = "quiet";
    count.textContent = found.length ? found.length + " places" + (found.length > 30 ? ", the first 30" : "") : "Nothing found.";
    hits.appendChild(count);
    var list = document.createElement("ol");
    found.slice(0, 30).forEach(function (hit) {
      var item = document.createElement("li"), link = document.createElement("a"), where = document.createElement("span");
      link.href = root + hit[2][0];
      link.textContent = hit[2][1];
      where.className = "quiet";
      where.textContent = " " + hit[2][2] + (hit.others.length > 1 ? ", also " : "");
      hit.others.slice(1).forEach(function (other) {
        var also = document.createElement("a");
        also.href = root + other[2][0];
        also.textContent = other[2][2].split(" · ").filter(function (_, i) { return i !== 1; }).join(" ");
        where.appendChild(also);
        where.appendChild(document.createTextNode(" "));
      });
      item.appendChild(link);
      item.appendChild(where);
      list.appendChild(item);
    });
    hits.appendChild(list);
  }
  field.addEventListener("focus", load);
  field.addEventListener("input", function () { load(); find(); });
  field.form.addEventListener("submit", function (event) {
    event.preventDefault();
    var first = hits.querySelector("a");
    if (first) first.click();
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && !hits.hidden) { hits.hidden = true; field.focus(); }
    if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      field.focus();
    }
  });
  hits.addEventListener("click", function (event) {
    if (event.target.closest("a")) hits.hidden = true;
  });
})();
