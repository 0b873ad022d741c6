/** Imports go one way: api, runtime/pure, deletion <- model; runtime <- engine <- flux/shared <- kinds <- main; kinds never import each other. */
const kinds = '^controllers/(application|template|cluster|argocd|flux)/';
const forbid = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

/** The stages of a decision about an Application, each of which knows only those before it. */
const stages = [
  'child',
  'spec',
  'backends',
  'rollout',
  'destinations',
  'children',
  'clusters',
  'revisions',
  'policy',
  'status',
  'sources',
];
const stage = (name, later) =>
  forbid(
    `stage-${name}`,
    { path: `^controllers/application/model/${name}/` },
    { path: `^controllers/application/model/(${[...later.map((each) => `${each}/`), '[^/]+\\.ts$'].join('|')})` },
    'A stage knows only those before it.',
  );

module.exports = {
  forbidden: [
    ...stages.map((name, index) => stage(name, stages.slice(index + 1))),
    forbid('no-cycles', {}, { circular: true }, 'A cycle hides which side owns the rule.'),
    forbid(
      'api-stands-alone',
      { path: '^api/' },
      { path: '^(controllers|console|cli|sandbox|config|bench)/' },
      'api is the vocabulary.',
    ),
    forbid(
      'runtime-knows-no-domain',
      { path: '^controllers/runtime/' },
      { path: '^(api/(?!(meta|core)\\.ts$)|controllers/(?!runtime/)|cli|sandbox|config|bench)' },
      'The runtime may know api/meta.ts (Kubernetes itself) and nothing of ours.',
    ),
    forbid(
      'pure-imports-pure',
      { path: '^controllers/runtime/pure/' },
      { path: '^controllers/(?!runtime/pure/)' },
      'runtime/pure is importable by every model.',
    ),
    forbid(
      'model-is-pure',
      { path: '^controllers/.*/model/' },
      { path: '^(controllers/(?!runtime/pure/|deletion/|dry-run/|.*/model/)|cli|sandbox|config|bench)' },
      'A model imports api, runtime/pure, the deletion rule, change sets and models.',
    ),
    forbid(
      'deletion-rule-stands-alone',
      { path: '^controllers/deletion/' },
      { path: '^(controllers/(?!deletion/)|cli|sandbox|config|bench)' },
      'Everything that deletes asks the one rule, so it knows none of them.',
    ),
    forbid(
      'change-sets-stand-alone',
      { path: '^controllers/dry-run/' },
      { path: '^(controllers/(?!dry-run/|runtime/pure/)|cli|sandbox|config|bench)' },
      'Every kind publishes its change set in the same form.',
    ),
    forbid(
      'model-does-no-io',
      { path: '^controllers/(.*/model|deletion|dry-run|read-model)/' },
      { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
      'A model has no I/O.',
    ),
    forbid(
      'engine-below-kinds',
      { path: '^controllers/engine/' },
      { path: '^(controllers/(?!engine/|runtime/|deletion/)|cli|sandbox|config|bench)' },
      'The engine is shared by the kinds.',
    ),
    forbid(
      'application-stands-alone',
      { path: '^controllers/application/' },
      {
        path: '^controllers/(?!application/|cluster/(model/|(inventory|identities|existence|references)\\.ts$)|engine/process/|flux/helmrelease/model/target\\.ts$|runtime/|deletion/|dry-run/)',
      },
      'The Application controller only writes Flux objects on the host cluster, reads the inventory of clusters, runs helm for values, and knows by the rule of the engine what it uninstalls first.',
    ),
    forbid(
      'cluster-stands-alone',
      { path: '^controllers/cluster/' },
      { path: '^controllers/(?!cluster/|engine/|runtime/|deletion/)' },
      'The inventory knows clusters and their credentials, and nothing of what is deployed there.',
    ),
    forbid(
      'template-stands-alone',
      { path: '^controllers/template/' },
      { path: '^controllers/(?!template/|runtime/)' },
      'The template controllers meet the Application controller only through the API.',
    ),
    forbid(
      'flux-kinds-stand-alone',
      { path: '^controllers/flux/([^/]+)/', pathNot: '^controllers/flux/shared/' },
      { path: '^controllers/(?!flux/($1|shared)/|engine/|runtime/|deletion/|dry-run/)' },
      'The kinds of the embedded engine meet only through the API, and on their shared floor.',
    ),
    forbid(
      'flux-floor-below-its-kinds',
      { path: '^controllers/flux/shared/' },
      { path: '^controllers/(?!flux/shared/|engine/|runtime/|deletion/|dry-run/)' },
      'What kinds share knows none of them.',
    ),
    forbid(
      'read-model-is-pure',
      { path: '^controllers/read-model/' },
      { path: '^(controllers/(?!read-model/|runtime/pure/)|cli|sandbox|config|bench)' },
      'What users read of an object is derived from it alone, for the command line and for a server.',
    ),
    forbid(
      'member-read-writes-nothing',
      { path: '^controllers/member-read/' },
      {
        path: '^(controllers/(?!member-read/|read-model/|runtime/|dry-run/|.*/model/|engine/(member|health)/|engine/drift/(compare-object|difference)\\.ts$|engine/apply/member-failure\\.ts$|flux/helmrelease/(release-codec|read-rendered|ignore-rules)\\.ts$)|cli|sandbox|config|bench)',
      },
      'What users see of a member is read with their own rights, for the command line and for a server.',
    ),
    forbid(
      'preview-writes-nothing',
      { path: '^controllers/preview/' },
      {
        path: '^(controllers/(?!preview/|application/|cluster/|dry-run/|member-read/|read-model/|runtime/|engine/(process|member)/|flux/helmrelease/|programs\\.ts$|options\\.ts$)|console|cli|sandbox|config|bench)',
      },
      'What the controllers would do is computed by their own code from what the user may read, for the command line and for a server.',
    ),
    forbid(
      'host-read-writes-nothing',
      { path: '^controllers/host-read/' },
      {
        path: '^(controllers/(?!host-read/|read-model/|runtime/|.*/model/|preview/(installation|installed-flags)\\.ts$)|cli|sandbox|config|bench)',
      },
      'What users see of the host cluster is read with their own rights, for the command line and for a server.',
    ),
    forbid(
      'nothing-imports-main',
      { pathNot: '^cli/' },
      { path: '^controllers/main\\.ts$' },
      'main is the composition root.',
    ),
    forbid(
      'console-below-cli',
      { path: '^console/' },
      {
        path: '^(controllers/(?!runtime/|read-model/|member-read/|host-read/|preview/|cluster/existence\\.ts$|.*/model/|option-|options\\.ts$)|cli|sandbox|config|bench)',
      },
      'The console server reads caches and models; it reconciles nothing.',
    ),
    forbid(
      'console-model-is-pure',
      { path: '^console/.*/model/' },
      { path: '^(controllers/(?!runtime/pure/|read-model/|.*/model/)|console/(?!.*/model/)|cli|sandbox|config|bench)' },
      'A model imports api, runtime/pure, what users read, and models.',
    ),
    forbid(
      'dashboard-runs-in-a-browser',
      { path: '^console/web/' },
      { path: '^(controllers/(?!runtime/pure/|read-model/)|console/(?!web/|server/model/)|cli|sandbox|config|bench)' },
      'What a browser gets has the vocabulary, what users read, and nothing of a server.',
    ),
    forbid(
      'dashboard-does-no-io-of-node',
      { path: '^console/web/' },
      { dependencyTypes: ['core'] },
      'A browser has none of it.',
    ),
    forbid(
      'product-without-benches',
      { path: '^(api|controllers|console|cli|sandbox|config)/' },
      { path: '^(bench|test)/' },
      'The image carries neither benches nor tests.',
    ),
    forbid(
      'sandbox-below-cli',
      { path: '^sandbox/' },
      { path: '^(cli|config)/' },
      'The command line starts sandboxes.',
    ),
    forbid(
      'controllers-below-cli',
      { path: '^controllers/' },
      { path: '^(console|cli|sandbox|config|bench|test)/' },
      `cli and sandbox use the public faces of ${kinds}.`,
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['source', 'import', 'types', 'node'] },
  },
};
