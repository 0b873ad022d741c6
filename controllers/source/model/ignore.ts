import { parseGlob } from './glob.js';

/** Path of a file (relative, with `/`) -> whether it stays out of the artifact. */
export type Ignore = (path: string) => boolean;

/** One file of patterns; `folder` is its folder relative to the root, empty for the root itself. */
export interface IgnoreFile {
  readonly folder: string;
  readonly text: string;
}

interface Rule {
  readonly matches: (path: string) => boolean;
  readonly keep: boolean;
}

/** The name of the files that are honoured in every folder. */
export const IGNORE_FILE = '.sourceignore';

const OF_GIT = '.git/\n.gitignore\n.gitmodules\n.gitattributes';
/** What Flux excludes from a repository without patterns (fluxcd/pkg, sourceignore). */
const DEFAULTS = [
  ...['*.jpg', '*.jpeg', '*.gif', '*.png', '*.wmv', '*.flv', '*.tar.gz', '*.zip'],
  ...['.github/', '.circleci/', '.travis.yml', '.gitlab-ci.yml', 'appveyor.yml', '.drone.yml', 'cloudbuild.yaml'],
  ...['codeship-services.yml', 'codeship-steps.yml'],
  ...['**/.goreleaser.yml', '**/.goreleaser.brew.yml', '**/.sops.yaml', '**/.flux.yaml'],
].join('\n');

function toRule(line: string, folder: string): Rule | undefined {
  if (line.trim() === '' || line.startsWith('#')) return undefined;
  const keep = line.startsWith('!');
  const pattern = keep ? line.slice(1) : line;
  const matches = parseGlob(pattern.endsWith('\\ ') ? pattern : pattern.replace(/ +$/, ''));
  const prefix = folder === '' ? '' : `${folder}/`;
  return { keep, matches: (path) => path.startsWith(prefix) && matches(path.slice(prefix.length)) };
}

function rulesOf({ folder, text }: IgnoreFile): Rule[] {
  return text.split('\n').flatMap((line) => toRule(line.replace(/\r$/, ''), folder) ?? []);
}

/** The last rule that matches a file or a folder above it decides. */
function decidedBy(rules: readonly Rule[]): Ignore {
  const lastFirst = rules.toReversed();
  return (path) => {
    const rule = lastFirst.find(({ matches }) => matches(path));
    return rule !== undefined && !rule.keep;
  };
}

/** What patterns of the root leave out, later texts over earlier ones, and nothing else. */
export function ignoreOf(texts: readonly string[]): Ignore {
  return decidedBy(texts.flatMap((text) => rulesOf({ folder: '', text })));
}

/**
 * The files that stay out: Git's own, unless a pattern takes them back in; then what the ignore files say, deeper ones
 * later, and `specIgnore` last, or the default exclusions when there is no pattern in any of them (Flux,
 * SourceIgnoreFilter).
 */
export function sourceIgnore(specIgnore: string | undefined, files: readonly IgnoreFile[]): Ignore {
  const deepLast = [...files].sort((a, b) => a.folder.length - b.folder.length);
  const own = [...deepLast, { folder: '', text: specIgnore ?? '' }].flatMap(rulesOf);
  const others = own.length > 0 ? own : rulesOf({ folder: '', text: DEFAULTS });
  return decidedBy([...rulesOf({ folder: '', text: OF_GIT }), ...others]);
}
