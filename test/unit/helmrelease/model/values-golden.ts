import type { ValuesReference } from '#api/flux/helm-release-fields.js';

/** All ways to compose values in one release; test/oracles asks Flux's own library the same question. */
export const GOLDEN = {
  question: {
    inline: {
      image: { tag: '1.2.3', pullPolicy: null },
      hosts: ['inline.example'],
      nested: { configuration: ['old', 'item', 'option'], depth: { 'a.b': 1 } },
      replicas: 3,
    },
    references: [
      { kind: 'ConfigMap', name: 'base' },
      { kind: 'Secret', name: 'secrets', valuesKey: 'overrides' },
      { kind: 'Secret', name: 'secrets', valuesKey: 'password', targetPath: 'db.password', literal: true },
      { kind: 'ConfigMap', name: 'base', valuesKey: 'host', targetPath: 'hosts[1]' },
      { kind: 'ConfigMap', name: 'base', valuesKey: 'port', targetPath: 'db.ports[0].number' },
      { kind: 'ConfigMap', name: 'base', valuesKey: 'mode', targetPath: 'db.mode' },
      { kind: 'ConfigMap', name: 'base', valuesKey: 'quoted', targetPath: 'db.version' },
      { kind: 'Secret', name: 'secrets', valuesKey: 'item', targetPath: 'nested.configuration[0]' },
      { kind: 'ConfigMap', name: 'base', valuesKey: 'list', targetPath: 'podAnnotations.prometheus\\.io/scrape' },
      { kind: 'ConfigMap', name: 'base', valuesKey: 'nothing', targetPath: 'db.pool' },
      { kind: 'ConfigMap', name: 'base', valuesKey: 'port', targetPath: 'replicas' },
      { kind: 'Secret', name: 'absent', optional: true },
      { kind: 'ConfigMap', name: 'base', valuesKey: 'absent', targetPath: 'x', optional: true },
    ] satisfies ValuesReference[],
    sources: [
      {
        kind: 'ConfigMap',
        name: 'base',
        data: {
          'values.yaml':
            'image: {repository: nginx, tag: "1.0", pullPolicy: Always}\nhosts: [a, b, c]\nresources: {limits: null}\n' +
            'defaultMode: 0644\nenabled: yes\nlimit: 2000000\nratio: 1.0e-05\n',
          host: 'b.example',
          port: '5432',
          mode: '0600',
          quoted: '"15"',
          list: '{true,null,7,x\\,y}',
          nothing: 'null',
        },
      },
      {
        kind: 'Secret',
        name: 'secrets',
        data: {
          overrides: 'image:\n  repository: null\ndb:\n  user: admin\n  ports: [{number: 1, name: sql}]\n',
          password: 'p,w=[{"}\\n\'',
          item: 'value',
        },
      },
    ],
  },
  values: {
    db: {
      mode: '0600',
      password: 'p,w=[{"}\\n\'',
      pool: null,
      ports: [{ name: 'sql', number: 5432 }],
      user: 'admin',
      version: '15',
    },
    defaultMode: 420,
    enabled: true,
    hosts: ['inline.example'],
    image: { pullPolicy: null, repository: null, tag: '1.2.3' },
    limit: 2_000_000,
    nested: { configuration: ['value', 'item', 'option'], depth: { 'a.b': 1 } },
    podAnnotations: { 'prometheus.io/scrape': [true, null, 7, 'x,y'] },
    ratio: 0.00001,
    replicas: 3,
    resources: { limits: null },
  },
  digest: 'sha256:adf61205739b026fd139bebc7cdd909ea3b67422b4c5c1748f8c549733355f43',
};
