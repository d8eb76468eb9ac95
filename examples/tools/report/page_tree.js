// page_tree.js - the call tree, from its roots or from its leaves.
// SPDX-License-Identifier: MIT
'use strict';

// Both trees have nodes that are numbers, and for each node: functionOf (-1 for
// the root), parentOf, value (what it and all below it cost), before (that of
// the base), ownOf (its own cost) and weight, which is its width: positive, and
// of the base if widths are those of before.  children(node) are sorted, the
// widest first; key and find turn a node into text and back.

const byWeight = weight => (a, b) => weight[b] - weight[a];

class CallTree {
  constructor() {
    this.count = tree.function.length;
    // The root of the roots comes last.
    this.root = this.count;
    this.parents = Int32Array.from(tree.parent, p => p < 0 ? this.root : p);
    this.kids = grouping(this.parents, this.count + 1);
  }

  functionOf(node) { return node === this.root ? -1 : tree.function[node]; }
  parentOf(node) { return node === this.root ? -1 : this.parents[node]; }
  ownOf(node) { return node === this.root ? 0 : this.self[node]; }

  // Takes the costs of an event, and widths "after" or "before".
  setEvent(event, width) {
    const {count, parents} = this;
    this.self = tree.self[event];
    this.selfBefore = compared ? tree.selfBefore[event] : null;
    const widths = width === 'before' ? this.selfBefore : this.self;
    this.widths = widths.map(Math.abs);
    // Children come behind their parents.
    const inclusive = own => {
      const sums = new Float64Array(count + 1);
      sums.set(own);
      for (let i = count - 1; i >= 0; i--)
        sums[parents[i]] += sums[i];
      return sums;
    };
    this.value = inclusive(this.self);
    this.weight = inclusive(this.widths);
    this.before = compared ? inclusive(this.selfBefore) : null;
    this.sorted = new Uint8Array(count + 1);
  }

  children(node) {
    const kids = this.kids.of(node);
    if (!this.sorted[node]) {
      this.sorted[node] = 1;
      kids.sort(byWeight(this.weight));
    }
    return kids;
  }

  key(node) { return node === this.root ? '' : String(node); }
  find(key) {
    return /^\d+$/.test(key) && key < this.count ? Number(key) : this.root;
  }

  // What the stacks with a matching function cost.
  matching(found) {
    const under = new Uint8Array(this.count + 1);
    let sum = 0;
    for (let i = 0; i < this.count; i++) {
      under[i] = found[tree.function[i]] || under[this.parents[i]];
      if (under[i])
        sum += this.self[i];
    }
    return sum;
  }
}

// The leaves are the first level: every function by its own cost.  Below are
// those that called it, and so on.  A node knows where in the call tree its
// stacks have come to; they are divided among its children when these are asked
// for.
class InvertedTree {
  constructor(calls) {
    this.calls = calls;
    this.root = 0;
    this.slotOfFunction = new Int32Array(functionCount).fill(-1);
  }

  setEvent() {
    this.functionAt = [];
    this.parentAt = [];
    this.value = [];
    this.before = [];
    this.weight = [];
    this.stacks = [];
    this.kids = [];
    const {calls} = this;
    const all = {node: [], value: [], before: [], weight: []};
    for (let i = 0; i < calls.count; i++) {
      const before = compared ? calls.selfBefore[i] : 0;
      if (calls.self[i] || before) {
        all.node.push(i);
        all.value.push(calls.self[i]);
        all.before.push(before);
        all.weight.push(calls.widths[i]);
      }
    }
    this.add(-1, -1, all);
  }

  add(f, parent, stacks) {
    const sum = list => list.reduce((a, b) => a + b, 0);
    this.functionAt.push(f);
    this.parentAt.push(parent);
    this.value.push(sum(stacks.value));
    this.before.push(sum(stacks.before));
    this.weight.push(sum(stacks.weight));
    this.stacks.push(stacks);
    return this.kids.push(null) - 1;
  }

  functionOf(node) { return this.functionAt[node]; }
  parentOf(node) { return this.parentAt[node]; }
  ownOf(node) { return this.parentAt[node] === 0 ? this.value[node] : 0; }

  children(node) {
    if (!this.kids[node]) {
      this.kids[node] = this.divide(this.stacks[node], node !== this.root)
        .map(stacks => this.add(tree.function[stacks.node[0]], node, stacks))
        .sort(byWeight(this.weight));
      this.stacks[node] = null;
    }
    return this.kids[node];
  }

  // The stacks of each function; if out, of each that called them.
  divide(stacks, out) {
    const {calls, slotOfFunction} = this;
    const parts = [];
    for (let i = 0; i < stacks.node.length; i++) {
      const node = out ? calls.parents[stacks.node[i]] : stacks.node[i];
      if (node === calls.root)
        continue;
      const f = tree.function[node];
      let slot = slotOfFunction[f];
      if (slot < 0)
        slot = slotOfFunction[f] =
          parts.push({node: [], value: [], before: [], weight: []}) - 1;
      const part = parts[slot];
      part.node.push(node);
      part.value.push(stacks.value[i]);
      part.before.push(stacks.before[i]);
      part.weight.push(stacks.weight[i]);
    }
    for (const part of parts)
      slotOfFunction[tree.function[part.node[0]]] = -1;
    return parts;
  }

  // A node is the functions on the way to it.
  key(node) {
    const path = [];
    for (; node > 0; node = this.parentAt[node])
      path.unshift(this.functionAt[node]);
    return path.join('.');
  }

  find(key) {
    let node = this.root;
    for (const f of key ? key.split('.') : []) {
      const next = this.children(node)
        .find(kid => this.functionAt[kid] === Number(f));
      if (next === undefined)
        return this.root;
      node = next;
    }
    return node;
  }
}
