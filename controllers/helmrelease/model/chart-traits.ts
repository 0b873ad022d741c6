/** What a chart asks of its rendering beyond values, name and namespace. */
export interface ChartTraits {
  /** Name in Chart.yaml: the first part of every `# Source:` path. */
  readonly name: string;
  /** It has a templates/NOTES.txt of its own. */
  readonly hasNotes: boolean;
  /** Folders above the deepest template, those of subcharts included. */
  readonly depth: number;
  readonly usesRevision: boolean;
  readonly usesApiVersions: boolean;
  readonly usesLookup: boolean;
  /** It has files in crds/, or a subchart has. */
  readonly crds: CrdPlace;
}

/** One file of a chart; `path` is relative to the chart, subcharts below `charts/`. */
export interface ChartText {
  readonly path: string;
  readonly text: string;
}

type CrdPlace = 'none' | 'own' | 'subcharts';

type TextTraits = Pick<ChartTraits, 'usesRevision' | 'usesApiVersions' | 'usesLookup'>;

/** `.Release` or `.Capabilities` as a whole, such as in `toYaml .Release`, holds the field, too. */
const REVISION = /\bRevision\b|\.Release\b(?!\.\w)/;
const API_VERSIONS = /\bAPIVersions\b|\.Capabilities\b(?!\.\w)/;
const LOOKUP = /\blookup\s+["`'(.$]/;
const PROSE = /\.md$|(^|\/)LICENSE$/i;
const NOTES = 'templates/NOTES.txt';
const CRDS_FOLDER = /^((?:charts\/[^/]+\/)*)crds\//;
const MANIFEST_FILE = /\.(?:ya?ml|json)$/i;

/**
 * What a text may ask for when it is run as a template. Rather too much than too little: values and files may be run by
 * `tpl`, so they count as well.
 */
export function textTraits(text: string): TextTraits {
  return {
    usesRevision: REVISION.test(text),
    usesApiVersions: API_VERSIONS.test(text),
    usesLookup: LOOKUP.test(text),
  };
}

/** Both together. */
export function withText(traits: ChartTraits, text: string): ChartTraits {
  const more = textTraits(text);
  return {
    ...traits,
    usesRevision: traits.usesRevision || more.usesRevision,
    usesApiVersions: traits.usesApiVersions || more.usesApiVersions,
    usesLookup: traits.usesLookup || more.usesLookup,
  };
}

/** True for a path in the crds/ folder of the chart itself that helm reads as CRDs. */
export function isCrdFile(path: string): boolean {
  return path.startsWith('crds/') && MANIFEST_FILE.test(path);
}

function withCrds(place: CrdPlace, path: string): CrdPlace {
  const above = CRDS_FOLDER.exec(path)?.[1];
  if (above === undefined || place === 'subcharts' || !MANIFEST_FILE.test(path)) return place;
  return above === '' ? 'own' : 'subcharts';
}

/** The traits of a chart by all its files, those of its subcharts included. */
export function chartTraits(name: string, files: Iterable<ChartText>): ChartTraits {
  let traits: ChartTraits = {
    ...{ name, hasNotes: false, depth: 0 },
    ...{ usesRevision: false, usesApiVersions: false, usesLookup: false },
    crds: 'none',
  };
  for (const { path, text } of files) {
    const depth = Math.max(traits.depth, path.split('/').length);
    const hasNotes = traits.hasNotes || path === NOTES;
    const known = { ...traits, depth, hasNotes, crds: withCrds(traits.crds, path) };
    traits = PROSE.test(path) ? known : withText(known, text);
  }
  return traits;
}
