import { configMap, manifest, type Case } from './case.js';

const TEXTS = {
  ...{ plain: '${one}', missing: '${none:-other}', set: '${none:=set}', escaped: '$${one}', dollar: '$one' },
  ...{ length: 'n${#word}', upper: '${word^^}', lower: '${upper,,}', part: '${word:1:2}', whole: 'a-${one}-${word}' },
  ...{
    replaced: '${word/o/0}',
    all: '${word//o/0}',
    prefix: '${word#f}',
    suffix: '${word%o}',
    nested: '${none:-${one}}',
  },
};

/** Values of variables in what was built. */
export const VARIABLE_CASES: readonly Case[] = [
  {
    name: 'variables',
    steps: [
      {
        does: 'every function is applied',
        files: { 'a.yaml': manifest(configMap('one', TEXTS)) },
        spec: { postBuild: { substitute: { one: 'value', word: 'foo', upper: 'FOO' } } },
      },
      { does: 'another value', spec: { postBuild: { substitute: { one: 'other', word: 'book', upper: 'X' } } } },
      { does: 'none at all', spec: { postBuild: undefined } },
    ],
  },
  {
    name: 'variables-always',
    steps: [
      {
        does: 'without variables nothing is replaced',
        files: { 'a.yaml': manifest(configMap('one', { missing: '${none:-other}' })) },
      },
      { does: 'unless the spec says so', spec: { postBuild: { substituteStrategy: 'Always' } } },
    ],
  },
  {
    name: 'variables-from',
    steps: [
      {
        does: 'ConfigMaps and Secrets are read, the last one wins',
        files: {
          'a.yaml': manifest(
            configMap('one', { a: '${a}', b: '${b}', c: '${c}' }),
            configMap('left', { a: '${a}' }, { annotations: { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' } }),
          ),
        },
        spec: {
          postBuild: {
            substitute: { c: 'own' },
            substituteFrom: [
              { kind: 'ConfigMap', name: 'values' },
              { kind: 'Secret', name: 'values' },
              { kind: 'ConfigMap', name: 'none', optional: true },
            ],
          },
        },
        users: [
          { args: 'create configmap values --from-literal=a=one --from-literal=b=one --from-literal=c=one' },
          { args: 'create secret generic values --from-literal=b=two' },
        ],
      },
      {
        does: 'a variable without a value is an error',
        files: { 'a.yaml': manifest(configMap('one', { d: '${d}' })) },
        fails: 'BuildFailed',
      },
    ],
  },
];
