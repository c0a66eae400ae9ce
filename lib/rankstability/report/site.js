// Figures open large on a click; the ledger is filtered. Nothing is loaded from anywhere.
document.addEventListener("click", function (event) {
  var link = event.target.closest("a.zoom");
  if (!link) return;
  event.preventDefault();
  var dialog = document.createElement("dialog");
  dialog.className = "large";
  dialog.appendChild(link.querySelector("img").cloneNode());
  dialog.addEventListener("click", function () { dialog.close(); });
  dialog.addEventListener("close", function () { dialog.remove(); });
  document.body.appendChild(dialog);
  dialog.showModal();
});

(function () {
  var button = document.getElementById("unfold");
  if (!button) return;
  button.addEventListener("click", function () {
    var open = button.getAttribute("aria-pressed") !== "true";
    document.querySelectorAll("details.code").forEach(function (part) { part.open = open; });
    button.setAttribute("aria-pressed", open);
    button.textContent = open ? "hide code" : "show code";
  });
})();

(function () {
  var form = document.querySelector("form.filter");
  if (!form) return;
  var rows = Array.prototype.slice.call(document.querySelectorAll("tbody.ledger tr"));
  var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
  var shown = document.getElementById("shown");
  function filter() {
    var count = 0, words = form.words.value.toLowerCase().split(/\s+/);
    rows.forEach(function (row, i) {
      var fits = (!form.paper.value || row.dataset.paper === form.paper.value) &&
        (!form.status.value || row.dataset.status === form.status.value) &&
        words.every(function (word) { return texts[i].indexOf(word) >= 0; });
      row.hidden = !fits;
      count += fits;
    });
    shown.textContent = count + " of " + rows.length + " rows";
  }
  form.addEventListener("input", filter);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  var asked = new URLSearchParams(location.hash.slice(1));
  ["paper", "status"].forEach(function (name) {
    if (asked.has(name)) form[name].value = asked.get(name);
  });
  filter();
})();
