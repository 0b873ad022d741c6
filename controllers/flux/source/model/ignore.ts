/** Path of a file (relative, with `/`) -> whether it stays out of the artifact. */
export type Ignore = (path: string) => boolean;

/** One file of patterns; `folder` is where it lies, relative to the root, empty for the root itself. */
export interface IgnoreFile {
  readonly folder: string;
  readonly text: string;
}

interface Rule {
  readonly pattern: RegExp;
  readonly keep: boolean;
}

/** The name of the files that are honoured in every folder. */
export const IGNORE_FILE = '.sourceignore';

const ALWAYS = '.git/\n.gitignore\n.gitmodules\n.gitattributes';
/** What Flux leaves out unless `spec.ignore` says otherwise (fluxcd/pkg, sourceignore). */
const DEFAULTS = [
  ...['*.jpg', '*.jpeg', '*.gif', '*.png', '*.wmv', '*.flv', '*.tar.gz', '*.zip'],
  ...['.github/', '.circleci/', '.travis.yml', '.gitlab-ci.yml', 'appveyor.yml', '.drone.yml', 'cloudbuild.yaml'],
  ...['codeship-services.yml', 'codeship-steps.yml'],
  ...['**/.goreleaser.yml', '**/.goreleaser.brew.yml', '**/.sops.yaml', '**/.flux.yaml'],
].join('\n');
const MAX_PATTERN = 1_024;
const GLOB = /\*\*\/|\/\*\*$|\*+|\?|\[!?\]?[^\]]*\]|\\.|[^]/g;

function classSource(token: string): string {
  const inner = token.slice(1, -1).replaceAll('\\', '\\\\').replace(/^[!^]/, '^');
  return `[${inner.replaceAll('[', '\\[')}]`;
}

function tokenSource(token: string): string {
  if (token === '**/') return '(?:.*/)?';
  if (token === '/**') return '/.*';
  if (token.startsWith('*')) return '[^/]*';
  if (token === '?') return '[^/]';
  if (token.startsWith('[') && token.length > 2) return classSource(token);
  const literal = token.startsWith('\\') && token.length > 1 ? token.slice(1) : token;
  return literal.replace(/[.*+?^${}()|[\]\\/]/, '\\$&');
}

function escapeFolder(folder: string): string {
  return folder === '' ? '' : `${folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/`;
}

/** A pattern that is no valid expression (a broken class such as `[z-a]`) matches nothing, as in git. */
function compile(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 's');
  } catch {
    return undefined;
  }
}

function toRule(line: string, folder: string): Rule | undefined {
  const trimmed = line.replace(/(?<!\\)\s+$/, '');
  if (trimmed === '' || trimmed.startsWith('#') || trimmed.length > MAX_PATTERN) return undefined;
  const keep = trimmed.startsWith('!');
  const glob = keep ? trimmed.slice(1) : trimmed;
  const onlyFolders = glob.endsWith('/');
  const body = onlyFolders ? glob.slice(0, -1) : glob;
  const anchored = body.includes('/');
  const source = (body.replace(/^\//, '').match(GLOB) ?? []).map(tokenSource).join('');
  const start = `^${escapeFolder(folder)}${anchored ? '' : '(?:.*/)?'}`;
  const pattern = compile(`${start}${source}${onlyFolders ? '/' : '(?:/|$)'}`);
  return pattern === undefined ? undefined : { pattern, keep };
}

function rulesOf({ folder, text }: IgnoreFile): Rule[] {
  return text.split(/\r?\n/).flatMap((line) => toRule(line, folder) ?? []);
}

/**
 * The files that stay out: Git's own always, then the default exclusions or, in their place, `specIgnore`; ignore files
 * in between. The last pattern that matches a file or a folder above it decides. Syntax: gitignore.
 */
export function sourceIgnore(specIgnore: string | undefined, files: readonly IgnoreFile[]): Ignore {
  const deepLast = [...files].sort((a, b) => a.folder.length - b.folder.length);
  const rules = [
    ...rulesOf({ folder: '', text: specIgnore === undefined ? DEFAULTS : '' }),
    ...deepLast.flatMap(rulesOf),
    ...rulesOf({ folder: '', text: specIgnore ?? '' }),
  ].reverse();
  const always = rulesOf({ folder: '', text: ALWAYS });
  return (path) => {
    if (always.some(({ pattern }) => pattern.test(path))) return true;
    const rule = rules.find(({ pattern }) => pattern.test(path));
    return rule !== undefined && !rule.keep;
  };
}
