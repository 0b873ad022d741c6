import path from 'node:path';
import tseslint from 'typescript-eslint';

/** Limits of docs/decisions: small functions, no escape hatches, no floating promises. */
const limits = {
  'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
  complexity: ['error', 10],
  'max-depth': ['error', 3],
  'max-params': ['error', 4],
};

const pure = {
  'no-restricted-globals': [
    'error',
    { name: 'process', message: 'A model is pure: take the value as an argument.' },
    { name: 'Date', message: 'A model has no clock: take the time as an argument.' },
    { name: 'setTimeout', message: 'A model does not wait.' },
    { name: 'fetch', message: 'A model does no I/O.' },
  ],
  'no-restricted-properties': [
    'error',
    { object: 'Math', property: 'random', message: 'A model has no randomness: take a seed or a function.' },
  ],
};

/** `#lib/x.js` for what is in another top folder, `./` and `../` inside of one: moves and searches find all of it. */
const spelling = {
  create(context) {
    const file = path.relative(process.cwd(), context.filename);
    const [top] = file.split(path.sep);
    const check = ({ source }) => {
      const name = source?.value;
      if (typeof name !== 'string' || !/^[.#]/.test(name)) return;
      const target = name.startsWith('#') ? name.slice(1) : path.join(path.dirname(file), name);
      const isInside = target.split(/[\\/]/)[0] === top;
      if (isInside === name.startsWith('.')) return;
      context.report({
        node: source,
        message: isInside ? 'Name what is in the same top folder by ./ or ../.' : 'Name another top folder by #.',
      });
    };
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check };
  },
};

/** Users choose many names, and all objects have a `constructor`. */
const chosenNames = [
  'controllers/application/model/**/*.ts',
  'controllers/{cluster,helmrelease,kustomization,source,receiver}/**/*.ts',
  'engine/**/*.ts',
];

const plainGroups = ['countBy', 'groupBy', 'keyBy'].map((name) => ({
  name: `lodash/${name}.js`,
  message: 'Any text finds something in an object: use groupedBy of #lib/plain.js.',
}));

const inheritedNames = {
  'no-restricted-syntax': [
    'error',
    {
      selector: 'BinaryExpression[operator="in"][left.type!="Literal"][left.type!="PrivateIdentifier"]',
      message: 'Any object has a `constructor`: use Object.hasOwn.',
    },
    {
      selector:
        'CallExpression[callee.name="pick"]:matches([arguments.1.type="CallExpression"], [arguments.1.name=/^[a-z]/])',
      message: 'pick takes inherited members and reads paths: use ownFields of #lib/plain.js.',
    },
  ],
};

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**', 'tools/**', '**/*.cjs', '**/*.js', '**/*.mjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ['./test/tsconfig.json', './console/web/tsconfig.json'],
        tsconfigRootDir: process.cwd(),
      },
    },
    plugins: { fairlead: { rules: { spelling } } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...limits,
      'fairlead/spelling': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
    },
  },
  {
    files: [
      '{engine,controllers,queries,console,sandbox,cli}/**/model/**/*.ts',
      'lib/**/*.ts',
      'console/shared/**/*.ts',
    ],
    rules: pure,
  },
  { files: chosenNames, rules: { 'no-restricted-imports': ['error', { paths: plainGroups }], ...inheritedNames } },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 600 }],
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
);
