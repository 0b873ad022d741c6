import type { ASTNode } from '@marcbachmann/cel-js';
import type { CelSizes } from './cel-sizes.js';

/**
 * The CEL library has no limits on what an evaluation produces, and its own functions cannot be replaced. So each node
 * of a parsed expression is checked before it computes. The next four interfaces are all that this file relies on
 * inside the library. Its version is pinned, and the tests of cel-guard fail if another version differs.
 */
interface Type {
  readonly kind: string;
  readonly keyType?: Type;
  readonly valueType?: Type;
}

interface Checker {
  readonly dynType: Type;
  createError(code: string, message: string, node: Node): Error;
}

interface Evaluator {
  debugTypeDeep: (value: unknown) => Type;
  readonly registry: { getListType(item: Type): Type; getMapType(key: Type, value: Type): Type };
  debugType(value: unknown): Type;
  run(node: Node, context: unknown): unknown;
}

interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly meta: { readonly alternate?: unknown; readonly macro?: unknown };
  check(checker: Checker, node: Node, context: unknown): Type;
  evaluate(evaluator: Evaluator, node: Node, context: unknown): unknown;
  setMeta(name: string, value: unknown): void;
  /** Set by `check` on nodes whose arguments are evaluated before the node itself. */
  handle?: (...values: readonly unknown[]) => unknown;
}

/** Most levels of lists and maps in the name of a type. The library never frees these names. */
const MOST_LEVELS = 3;
const KEYS = new Set(['primitive', 'dyn', 'param']);

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'op' in value && 'setMeta' in value;
}

/** The nodes of an expression, including those that macros expand to. */
function nodesOf(root: Node): Set<Node> {
  const seen = new Set<unknown>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isNode(value)) open.push(value.args, value.meta.alternate, value.meta.macro);
    else if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) {
      const items: readonly unknown[] = Object.values(value);
      for (const item of items) open.push(item);
    }
  }
  return new Set([...seen].filter(isNode));
}

function levelsOf({ keyType, valueType }: Type): number {
  if (valueType === undefined) return 0;
  return 1 + Math.max(levelsOf(valueType), keyType === undefined ? 0 : levelsOf(keyType));
}

function typeOf(evaluator: Evaluator, value: unknown, levels: number): Type {
  const type = evaluator.debugType(value);
  if (levels === 0) return type;
  if (Array.isArray(value)) {
    if (value.length === 0) return type;
    return evaluator.registry.getListType(typeOf(evaluator, value[0], levels - 1));
  }
  if (type.kind !== 'map') return type;
  for (const key in value as object) {
    const item = (value as Readonly<Record<string, unknown>>)[key];
    return evaluator.registry.getMapType(typeOf(evaluator, key, 0), typeOf(evaluator, item, levels - 1));
  }
  return type;
}

type Entry = readonly [key: Node, value: Node];

/** Evaluates a map like the library does, but checks each key before it is converted to text. */
function evaluateMap(node: Node, sizes: CelSizes): Node['evaluate'] {
  const entries = node.args as readonly Entry[]; // those of a map
  return (evaluator, _node, context) => {
    const made = entries.map(([key, value]): [string, unknown] => {
      const name = evaluator.run(key, context);
      sizes.key(name);
      return [String(name), evaluator.run(value, context)];
    });
    return Object.fromEntries(made.filter(([key]) => !['__proto__', 'constructor', 'prototype'].includes(key)));
  };
}

function guardCall(node: Node, handle: NonNullable<Node['handle']>, sizes: CelSizes): void {
  const [name] = node.args as readonly [name: string]; // of a call
  node.handle = (all, ...others) => {
    const values = all as readonly unknown[]; // its first argument in both kinds of calls
    sizes.before(name, values);
    const [text, pattern] = values;
    const isMatch = name === 'matches' && typeof text === 'string' && typeof pattern === 'string';
    return isMatch ? sizes.matches(text, pattern) : handle(values, ...others);
  };
}

/** Guards a checked node: only the check determines which functions it calls. */
function guardNode(node: Node, sizes: CelSizes): void {
  const { op, args, handle } = node;
  if (node.meta.alternate !== undefined || node.meta.macro !== undefined) return;
  if (op === 'map' && Array.isArray(args) && args.length > 0) node.setMeta('evaluate', evaluateMap(node, sizes));
  if (!['call', 'rcall', '+', 'in', '[]', '[?]'].includes(op)) return;
  if (handle === undefined) throw new TypeError(`the library for CEL has no handle for ${op}`);
  if (op === 'call' || op === 'rcall') guardCall(node, handle, sizes);
  else {
    node.handle = (left, right, ...others) => {
      if (op === '+') sizes.before(op, [left, right]);
      else if (op !== 'in') sizes.key(right);
      else if (!Array.isArray(right)) sizes.key(left);
      return handle(left, right, ...others);
    };
  }
}

/** Replaces a type with a long name by `dyn`, which is checked during the evaluation. */
function checkedType(type: Type, node: Node, checker: Checker): Type {
  if (type.kind === 'map' && type.keyType !== undefined && !KEYS.has(type.keyType.kind)) {
    throw checker.createError('invalid_map_key', 'a key is not text, a number, true or false', node);
  }
  return levelsOf(type) > MOST_LEVELS ? checker.dynType : type;
}

/** Makes an expression check its sizes while it is evaluated. Call it before the types are checked. */
export function guardExpression(expression: ASTNode, sizes: CelSizes): void {
  const root: unknown = expression;
  if (!isNode(root)) throw new TypeError('the library for CEL has other nodes');
  for (const node of nodesOf(root)) {
    const check = node.check.bind(node);
    node.check = (checker, same, context) => {
      const type = check(checker, same, context);
      guardNode(node, sizes);
      return checkedType(type, node, checker);
    };
  }
  const evaluate = root.evaluate.bind(root);
  root.evaluate = (evaluator, same, context) => {
    evaluator.debugTypeDeep = (value) => typeOf(evaluator, value, MOST_LEVELS);
    return evaluate(evaluator, same, context);
  };
}
