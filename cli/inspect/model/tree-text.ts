import type { DestinationTree, ObjectView, TreeView } from '#queries/answers/members.js';
import type { FluxObjectTree } from '#queries/answers/flux-object.js';
import { describeObject } from '#lib/net/urls.js';
import { oneLine } from '#lib/text/text.js';
import { painted, type Terminal, withSymbol } from '../../output/model/terminal.js';
import { widthOf, wrap } from '../../output/model/text.js';

export interface TreeTextOptions {
  /** Objects have their API version, and lines are not wrapped. */
  readonly wide: boolean;
  readonly terminal: Pick<Terminal, 'columns' | 'hasColors' | 'hasSymbols'>;
}

/** A line of the tree, and what is below it. */
interface Branch {
  readonly label: string;
  /** Empty for a note, which has none. */
  readonly state: string;
  readonly message: string;
  readonly branches: readonly Branch[];
}

/** A deeper tree leaves a narrow terminal no room; text is wrapped to this width at least. */
const LEAST_WIDTH = 16;
const GAP = '  ';

function note(message: string): Branch {
  return { label: '', state: '', message, branches: [] };
}

function branchOf(object: ObjectView, wide: boolean): Branch {
  const { apiVersion, kind, namespace, name, state, message, owns } = object;
  const place = namespace === '' ? name : `${namespace}/${name}`;
  const version = wide ? ` (${apiVersion})` : '';
  return {
    ...{ label: `${kind} ${place}${version}`, state, message },
    branches: owns.map((each) => branchOf(each, wide)),
  };
}

/** A destination, or an object of its own. */
type Tree = Pick<DestinationTree, 'name' | 'cluster' | 'child' | 'state' | 'message' | 'objects' | 'problem' | 'more'>;

function notesOf({ problem, more, child, objects }: Tree): Branch[] {
  const limits = more === 0 ? [] : [note(`and ${more} more objects, which are not read`)];
  const problems = problem === '' || child === '' ? [] : [note(`not read: ${problem}`)];
  const isEmpty = child !== '' && objects.length === 0 && problem === '';
  return [...problems, ...limits, ...(isEmpty ? [note('the release has no objects')] : [])];
}

function destinationBranch(destination: Tree, wide: boolean): Branch {
  const { name, cluster, child, state, message, objects } = destination;
  const label = `${child === '' ? name : child} on ${cluster}`;
  const shown = state === 'Ready' ? '' : message;
  return {
    ...{ label, state, message: shown },
    branches: [...objects.map((each) => branchOf(each, wide)), ...notesOf(destination)],
  };
}

function rootOf({ namespace, name, state, message, destinations, truncated }: TreeView, wide: boolean): Branch {
  const cut = truncated ? [note('the status lists no more destinations')] : [];
  return {
    ...{ label: `Application ${namespace}/${name}`, state, message: state === 'Ready' ? '' : message },
    branches: [...destinations.map((each) => destinationBranch(each, wide)), ...cut],
  };
}

/** The lines of one branch, without what is below it. The state is painted where it stands on the first line. */
function ownLines({ label, state, message }: Branch, width: number, { terminal }: TreeTextOptions): string[] {
  if (state === '') return wrap(oneLine(message), width);
  const shown = withSymbol(oneLine(state), terminal);
  const labels = wrap(oneLine(label), width);
  const last = labels.pop() ?? '';
  const isOneLine = widthOf(last) + GAP.length + widthOf(shown) <= width;
  const colored = painted(shown, state, terminal);
  const head = isOneLine ? [...labels, `${last}${GAP}${colored}`] : [...labels, last, colored];
  return [...head, ...wrap(oneLine(message), width)];
}

function linesOf(branch: Branch, prefix: string, options: TreeTextOptions): string[] {
  const { columns = Infinity } = options.terminal;
  const most = options.wide ? Infinity : columns;
  const own = ownLines(branch, Math.max(LEAST_WIDTH, most - widthOf(prefix)), options);
  return [
    ...own,
    ...branch.branches.flatMap((each, index) => {
      const isLast = index === branch.branches.length - 1;
      const [first, rest] = isLast ? ['└─ ', '   '] : ['├─ ', '│  '];
      return linesOf(each, prefix + rest, options).map((line, row) => (row === 0 ? first : rest) + line);
    }),
  ];
}

/** The tree as people read it: no line is wider than the terminal, as far as that is possible. */
export function treeText(view: TreeView, options: TreeTextOptions): string {
  return linesOf(rootOf(view, options.wide), '', options).join('\n');
}

/** The tree of one HelmRelease or Kustomization, as it is below an Application. */
export function fluxTreeText(view: FluxObjectTree, options: TreeTextOptions): string {
  const { kind, namespace, name } = view;
  const child = describeObject(kind, { namespace, name });
  return linesOf(destinationBranch({ ...view, child }, options.wide), '', options).join('\n');
}
