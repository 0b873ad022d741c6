import { expect, test } from '@jest/globals';
import { parseTemplate, SyntaxProblem, type Part } from '#controllers/kustomization/model/substitution/parse.js';

const a = (operator: string, ...args: Part[]): Part => ({ variable: 'a', operator, args });

test.each<[string, string, Part[]]>([
  ['text without expressions', 'x $y', ['x $y']],
  ['two dollars', '$${a} $$', ['${a} $']],
  ['a variable', 'x${a}y', ['x', a(''), 'y']],
  ['the length', '${#a}', [a('#')]],
  ['upper and lower case', '${a^}${a^^}${a,}${a,,}', [a('^'), a('^^'), a(','), a(',,')]],
  ['a default', '${a:-x}', [a(':-', 'x')]],
  ['an empty default', '${a:=}', [a(':=')]],
  ['a default of several parts', '${a=x${a}y}', [a('=', 'x', a(''), 'y')]],
  ['a position', '${a:1}', [a(':', '1')]],
  ['a position and a length', '${a:1:-2}', [a(':', '1', '-2')]],
  ['what is removed in front', '${a#x}${a##*/}', [a('#', 'x'), a('##', '*/')]],
  ['what is removed behind', '${a%x}${a%%x}', [a('%', 'x'), a('%%', 'x')]],
  [
    'a replacement',
    '${a/x/y}${a//x/y}${a/#x/y}${a/%x/y}',
    [a('/', 'x', 'y'), a('//', 'x', 'y'), a('/#', 'x', 'y'), a('/%', 'x', 'y')],
  ],
  ['a replacement with escapes', '${a/\\//\\\\}', [a('/', '/', '\\')]],
  ['a removal by replacement', '${a//x/}', [a('//', 'x')]],
  ['a brace in what is replaced', '${a/}/y}', [a('/', '}', 'y')]],
])('%s is read', (_title, text, parts) => {
  expect(parseTemplate(text)).toEqual(parts);
});

test.each<[string, string, number]>([
  ['no name', 'x\n${}', 2],
  ['no end', '${a', 1],
  ['no end of a default', '${a:-x', 1],
  ['a name with a dash', '${a-b}', 1],
  ['an operator that is none', '${a@Q}', 1],
  ['nothing to remove', '${a#}', 1],
  ['nothing to replace', '${a/}', 1],
  ['expressions in expressions, without end', '${a:-'.repeat(100), 1],
])('%s is refused with its line', (_title, text, line) => {
  expect(() => parseTemplate(text)).toThrow(SyntaxProblem);
  expect(() => parseTemplate(text)).toThrow(expect.objectContaining({ line }));
});

test('a long text takes no longer per character', () => {
  expect(parseTemplate('$${'.repeat(300_000))).toHaveLength(1);
  expect(parseTemplate('${a:-}'.repeat(100_000))).toHaveLength(100_000);
});
