/** The folders of the product, lowest first: each imports only those before it. */
const FOLDERS = [
  ...['api', 'lib', 'runtime', 'engine', 'controllers', 'manager', 'queries', 'console', 'sandbox', 'cli'],
  ...['config', 'bench'],
];

/** The same inside of a folder. Folders in one text know nothing of each other. */
const INSIDE = {
  engine: ['deletion|dry-run|process|artifact|member', 'watch|health', 'apply', 'drift', 'flux'],
  controllers: ['template|cluster|helmrelease|kustomization|source|receiver', 'application'],
  'controllers/application/model': [
    ...['child', 'spec', 'backends', 'rollout', 'destinations', 'children', 'clusters', 'revisions', 'policy'],
    ...['status', 'sources'],
  ],
  queries: ['answers', 'views', 'members', 'plans', 'host'],
  console: ['shared', 'server|web'],
};

/** These do no I/O. */
const PURE = '^(console/shared|engine/(deletion|dry-run)|queries/(answers|views))/|/model/';

const forbid = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });
const later = (list, index) => list.slice(index + 1).join('|');

const order = FOLDERS.map((folder, index) =>
  forbid(
    `${folder}-before-others`,
    { path: `^${folder}/` },
    { path: `^(${later([...FOLDERS, 'test'], index)})/` },
    'See FOLDERS.',
  ),
);

const inside = Object.entries(INSIDE).flatMap(([folder, list]) =>
  list.flatMap((stage, index) => [
    forbid(
      `${folder}-${stage}`,
      { path: `^${folder}/(${stage})/` },
      { path: `^${folder}/(${later(list, index) || '-'})/` },
      'See INSIDE.',
    ),
    forbid(
      `${folder}-${stage}-apart`,
      { path: `^${folder}/(${stage})/` },
      { path: `^${folder}/(${stage})/`, pathNot: `^${folder}/$1/` },
      'See INSIDE.',
    ),
  ]),
);

module.exports = {
  forbidden: [
    ...order,
    ...inside,
    forbid('no-cycles', {}, { circular: true }, 'A cycle hides which side owns the rule.'),
    forbid(
      'kubernetes-only',
      { path: '^(lib|runtime)/' },
      { path: '^api/.+/' },
      'They know Kubernetes, and nothing of ours.',
    ),
    forbid(
      'application-on-the-host-only',
      { path: '^controllers/application/' },
      {
        path: '^(engine/(member|apply|drift|artifact|watch|health)|controllers/(template|helmrelease|kustomization|source|receiver|cluster/(credential|probe)))/',
      },
      'It reads and writes the host cluster, and meets other kinds only through the API.',
    ),
    forbid('template-without-engine', { path: '^controllers/template/' }, { path: '^engine/' }, 'It checks and keeps.'),
    forbid(
      'readers-write-nothing',
      { path: '^(queries|console)/' },
      {
        path: '^(engine/(apply|deletion|artifact|watch|flux)/(?!model/)|controllers/[^/]+/((act|apply|reconcile|finalize|uninstall|write-status)\\.ts$|(actions|credential|probe)/))',
      },
      'Users see what they may read.',
    ),
    forbid(
      'plans-ask-the-controller',
      { path: '^(queries/(host|members|views)|console)/' },
      { path: '^controllers/application/(?!model/)' },
      'The rest reads models.',
    ),
    forbid(
      'views-of-one-object',
      { path: '^queries/(answers|views)/' },
      { path: '^[a-z]+/', pathNot: '^(api|lib|queries/(answers|views))/' },
      'They are derived from the object alone, in a browser, too.',
    ),
    forbid(
      'browser-without-schemas',
      { path: '^(queries/views|console/web)/' },
      {
        path: '^(queries/answers/(?!words)|node_modules/typebox/)',
        dependencyTypesNot: ['type-only'],
      },
      'It needs the types of answers alone: schemas are large.',
    ),
    forbid('main-is-last', { pathNot: '^cli/' }, { path: '^manager/main\\.ts$' }, 'It connects everything.'),
    forbid(
      'pure-does-no-io',
      { path: PURE },
      { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|util)$' },
      'See PURE.',
    ),
    forbid('pure-imports-pure', { path: PURE }, { path: '^[a-z]+/', pathNot: `^(api|lib)/|${PURE}` }, 'See PURE.'),
    forbid(
      'stages-before-decisions',
      { path: '^controllers/application/model/[^/]+/' },
      { path: '^controllers/application/model/[^/]+$' },
      'A stage knows nothing of the whole.',
    ),
    forbid(
      'browser',
      { path: '^console/web/' },
      { path: '^[a-z]+/', pathNot: '^(api|lib|queries/(answers|views)|console/(shared|web))/' },
      'It gets nothing of a server.',
    ),
    forbid(
      'browser-does-no-io-of-node',
      { path: '^console/web/' },
      { dependencyTypes: ['core'] },
      'A browser has none of it.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['source', 'import', 'types', 'node'] },
  },
};
