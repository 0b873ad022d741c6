import { expect, test } from '@jest/globals';
import { everyVerb } from '../support/every-verb.js';
import { filesBelow, textOf } from './repository.js';

/** The forms of verbs that have several: each prints something of its own. */
const FORMS: Readonly<Record<string, readonly RegExp[]>> = {
  diff: [
    /^diff kustomization\//,
    /^diff \w+ --from /,
    /^diff \w+ --live/,
    /^diff -f -(?!.* --from-file)/,
    /^diff -f -.* --from-file/,
  ],
  render: [/^render \w+/, /^render -f -(?!.* --manifests)/, /^render -f -.* --manifests/],
  status: [/^status(?! \w+\/)/, /^status \w+\//],
  tree: [/^tree (?!\w+\/)/, /^tree \w+\//],
  version: [/^version(?!.* --client)/, /^version --client/],
};

const GOLDENS = filesBelow('test').filter((file) => file.endsWith('.golden'));

/** Of all golden files: what is typed, and what it prints. */
const RUNS = GOLDENS.map(textOf)
  .flatMap((text) => text.split(/^\$ fairlead /m).slice(1))
  .map((run) => ({ line: run.slice(0, run.indexOf('\n')), text: run.slice(run.indexOf('\n') + 1) }));

const verbs = await everyVerb();

function isRefused(text: string): boolean {
  return /^(! )?fairlead: /m.test(text);
}

const FORMATS = [...verbs].flatMap(([verb, { options }]) => {
  const output = options.find(({ long }) => long === '--output');
  const forms = FORMS[verb] ?? [new RegExp(`^${verb}\\b`)];
  return forms.flatMap((form) =>
    (output?.argChoices ?? []).map((format) => [verb, format, form, format === output?.defaultValue] as const),
  );
});

test.each(FORMATS)('%s -o %s, as in %s, has a golden output', (_, format, form, isDefault) => {
  const asks = (line: string): boolean => line.includes(` -o ${format}`) || (isDefault && !line.includes(' -o '));
  const found = RUNS.filter(({ line, text }) => form.test(line) && asks(line) && !isRefused(text));
  expect(found.map(({ text }) => text.trim())).toContainEqual(expect.stringMatching(/./));
});

test.each([...verbs.keys()].filter((verb) => verb !== 'completion'))('%s has a golden output', (verb) => {
  expect(RUNS.map(({ line }) => line)).toContainEqual(expect.stringMatching(new RegExp(`^${verb}\\b`)));
});

test('the scripts of all shells have one', () => {
  const [shell] = verbs.get('completion')?.registeredArguments ?? [];
  const scripts = (shell?.argChoices ?? []).map((each) => `test/unit/cli/completion/${each}.golden`);
  expect(scripts.length).toBeGreaterThan(0);
  expect(GOLDENS).toEqual(expect.arrayContaining(scripts));
});
