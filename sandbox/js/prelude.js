// The helpers that every cell has. They take arrays and everything else that can
// be iterated. Loops are plain, so that a cell which replaces methods of the
// built-in classes does not change what they do.
(function () {
  "use strict";
  const fail = (text) => { throw new TypeError(text); };
  const items = (name, xs) => {
    if (xs === null || xs === undefined) fail(name + ": a list is needed, not " + xs);
    if (Array.isArray(xs)) return xs;
    if (typeof xs === "string" || typeof xs[Symbol.iterator] === "function") {
      const out = [];
      for (const x of xs) out[out.length] = x;
      return out;
    }
    if (typeof xs === "object") return Object.values(xs);
    return fail(name + ": a list is needed, not " + typeof xs);
  };
  const number = (name, x) => typeof x === "number" || typeof x === "bigint" ? x : fail(name + ": " + String(x) + " is not a number");
  const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
  // key is a function, the name of a property, or nothing.
  const pick = (key) => key === undefined ? (x) => x : typeof key === "function" ? key : (x) => x[key];
  const select = (name, better) => (...args) => {
    const named = args.length === 2 && typeof args[0] === "object" && args[0] !== null;
    const xs = named ? items(name, args[0]) : args.length === 1 && typeof args[0] === "object" ? items(name, args[0]) : args;
    const key = pick(named ? args[1] : undefined);
    if (xs.length === 0) return undefined;
    let best = xs[0], value = key(best, 0);
    for (let i = 1; i < xs.length; i++) {
      const v = key(xs[i], i);
      if (better(v, value)) { best = xs[i]; value = v; }
    }
    return best;
  };
  const copy = (name, xs) => {
    const from = items(name, xs), out = [];
    for (let i = 0; i < from.length; i++) out[i] = from[i];
    return out;
  };
  const mergeSort = (xs, less) => {
    let from = xs, to = [];
    for (let width = 1; width < xs.length; width *= 2) {
      for (let lo = 0; lo < from.length; lo += 2 * width) {
        let i = lo, j = lo + width;
        const mid = j < from.length ? j : from.length, hi = j + width < from.length ? j + width : from.length;
        for (let k = lo; k < hi; k++) {
          to[k] = i < mid && (j >= hi || less(from[j], from[i]) >= 0) ? from[i++] : from[j++];
        }
      }
      [from, to] = [to, from];
    }
    return from;
  };
  const h = {};
  h.sum = (xs, key) => {
    const list = items("sum", xs), get = pick(key);
    if (list.length === 0) return 0;
    let total = number("sum", get(list[0], 0));
    for (let i = 1; i < list.length; i++) total += number("sum", get(list[i], i));
    return total;
  };
  h.mean = (xs, key) => {
    const list = items("mean", xs);
    return list.length === 0 ? NaN : Number(h.sum(list, key)) / list.length;
  };
  h.median = (xs, key) => {
    const list = items("median", xs), get = pick(key), values = [];
    for (let i = 0; i < list.length; i++) values[i] = number("median", get(list[i], i));
    if (values.length === 0) return NaN;
    const s = mergeSort(values, compare), mid = s.length >> 1;
    return s.length % 2 ? s[mid] : (s[mid - 1] + s[mid]) / 2;
  };
  h.max = select("max", (a, b) => a > b);
  h.min = select("min", (a, b) => a < b);
  h.join = (xs, separator = "") => {
    const list = items("join", xs);
    let out = "";
    for (let i = 0; i < list.length; i++) out += (i ? separator : "") + String(list[i]);
    return out;
  };
  // filter and map take the list first or second, as it comes to mind.
  const both = (name, a, b) => typeof a === "function" ? [items(name, b), a] : [items(name, a), typeof b === "function" ? b : pick(b)];
  h.filter = (a, b) => {
    const [list, keep] = both("filter", a, b), out = [];
    for (let i = 0; i < list.length; i++) if (keep(list[i], i)) out[out.length] = list[i];
    return out;
  };
  h.map = (a, b) => {
    const [list, f] = both("map", a, b), out = [];
    for (let i = 0; i < list.length; i++) out[i] = f(list[i], i);
    return out;
  };
  h.sorted = (xs, key, reverse = false) => {
    const list = copy("sorted", xs);
    let less = compare;
    if (typeof key === "function" && key.length === 2) less = (a, b) => Number(key(a, b));
    else if (key !== undefined) { const get = pick(key); less = (a, b) => compare(get(a), get(b)); }
    return mergeSort(list, reverse ? (a, b) => less(b, a) : less);
  };
  h.groupBy = (xs, key) => {
    const list = items("groupBy", xs), get = pick(key), out = {};
    for (let i = 0; i < list.length; i++) {
      const k = String(get(list[i], i));
      if (!Object.hasOwn(out, k)) out[k] = [];
      out[k][out[k].length] = list[i];
    }
    return out;
  };
  h.countBy = (xs, key) => {
    const list = items("countBy", xs), get = pick(key), out = {};
    for (let i = 0; i < list.length; i++) {
      const k = String(get(list[i], i));
      out[k] = (Object.hasOwn(out, k) ? out[k] : 0) + 1;
    }
    return out;
  };
  h.unique = (xs, key) => {
    const list = items("unique", xs), get = pick(key), seen = new Set(), out = [];
    for (let i = 0; i < list.length; i++) {
      const k = get(list[i], i);
      if (!seen.has(k)) { seen.add(k); out[out.length] = list[i]; }
    }
    return out;
  };
  h.range = (start, stop, step = 1) => {
    if (stop === undefined) { stop = start; start = 0; }
    if (step === 0) fail("range: step is 0");
    const out = [];
    for (let x = start; step > 0 ? x < stop : x > stop; x += step) out[out.length] = x;
    return out;
  };
  h.len = (xs) => typeof xs === "string" ? xs.length : xs instanceof Map || xs instanceof Set ? xs.size : items("len", xs).length;
  return h;
})();
