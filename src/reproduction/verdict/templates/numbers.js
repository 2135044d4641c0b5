// Filters and sorts the table of all numbers. The address holds the filters, so that a view can be sent to somebody.
"use strict";
(() => {
  const form = document.getElementById("filters");
  const table = document.getElementById("numbers");
  const body = table.tBodies[0];
  const shown = document.getElementById("shown");
  const cell = (row, index) => row.cells[index].firstChild?.textContent.trim() ?? "";
  const rows = [...body.rows].map((row, place) => ({
    row, place,
    paper: cell(row, 1), kind: row.dataset.kind, data: row.dataset.data, method: row.dataset.method,
    verdict: row.cells[0].textContent.trim().replace(/^\S+\s+/, ""),
    text: row.textContent.toLowerCase(),
  }));
  const names = ["paper", "kind", "verdict", "data", "method"];
  const none = document.getElementById("none");
  const heads = [...table.tHead.rows[0].cells];
  const number = (text) => {
    const value = parseFloat(text.replace(/,/g, "").replace("−", "-"));
    return Number.isNaN(value) ? null : value;
  };

  // A filter may name several values, separated by commas: kind=number,claim.
  const allows = (chosen, value) => !chosen || value === chosen || chosen.split(",").includes(value);

  function fill(name) {
    const values = [...new Set(rows.map((row) => row[name]))].filter(Boolean).sort();
    form.elements[name].append(...values.map((value) => new Option(value, value)));
  }

  function choose(name, value) {
    const select = form.elements[name];
    if (value && select.options && ![...select.options].some((option) => option.value === value)) {
      select.append(new Option(value.replace(/,/g, ", "), value));
    }
    select.value = value;
  }

  function filter() {
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const fits = names.every((name) => allows(form.elements[name].value, row[name]));
      row.row.hidden = !(fits && words.every((word) => row.text.includes(word)));
      count += !row.row.hidden;
    }
    shown.textContent = `${count} of ${rows.length} rows`;
    none.hidden = count > 0;
    table.hidden = !count;
  }

  function remember() {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    const place = heads.findIndex((head) => head.hasAttribute("aria-sort"));
    if (place >= 0) query.set("sort", `${heads[place].dataset.head.toLowerCase()},${heads[place].getAttribute("aria-sort")}`);
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
  }

  // A cell may say by which value it is sorted, as the relative difference does by its amount.
  const valued = (row, index) => number(row.cells[index].dataset.value ?? cell(row, index));

  function sort(head, index, order) {
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const numeric = head.classList.contains("number");
    const keyed = rows.map((row) => ({ row, key: numeric ? valued(row.row, index) : cell(row.row, index) }));
    const empty = (key) => key === null || key === "";
    keyed.sort((a, b) => {
      if (empty(a.key) || empty(b.key)) return empty(a.key) - empty(b.key) || a.row.place - b.row.place;
      const less = numeric ? a.key - b.key : a.key.localeCompare(b.key);
      return sign * less || a.row.place - b.row.place;
    });
    body.append(...keyed.map(({ row }) => row.row));
  }

  function show() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !body.contains(target)) return;
    target.hidden = table.hidden = false; // shown although a filter leaves it out: the filters stay
    for (const { row } of rows) row.classList.toggle("chosen", row === target);
    target.scrollIntoView({ block: "center" });
  }

  names.forEach(fill);
  const asked = new URLSearchParams(location.search);
  for (const [name, value] of asked) {
    if (form.elements[name]) choose(name, value);
  }
  heads.forEach((head, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.dataset.head = head.textContent; // paper shows the latter: heads of later pages lack buttons
    button.addEventListener("click", () => {
      const turned = { ascending: "descending", descending: "ascending" }[head.getAttribute("aria-sort")];
      sort(head, index, turned ?? (head.dataset.head === "Relative" ? "descending" : "ascending"));
      remember();
    });
    head.replaceChildren(button);
  });
  const [column, order] = (asked.get("sort") ?? "").split(",");
  const sorted = heads.findIndex((head) => head.dataset.head.toLowerCase() === column);
  if (sorted >= 0 && ["ascending", "descending"].includes(order)) sort(heads[sorted], sorted, order);
  form.hidden = false;
  document.getElementById("all-rows").addEventListener("click", () => form.reset());
  // The heads of the table stay below the filters, whose height depends on the window.
  new ResizeObserver(() => table.style.setProperty("--filters", `${form.offsetHeight}px`)).observe(form);
  form.addEventListener("input", () => { filter(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { filter(); remember(); }));
  window.addEventListener("hashchange", show);
  filter();
  show();
})();
