import { expect, it } from '@jest/globals';
import { admit } from '#console/shared/admission.js';

const CROWD = { perUser: 2, total: 3, what: 'streams' };

it.each<[string, string[], string | undefined]>([
  ['nobody is there', [], undefined],
  ['one of his is open', ['ada'], undefined],
  ['two of others are open', ['bob', 'bob'], undefined],
  ['two of his are open', ['ada', 'ada'], 'user "ada" has 2 streams: close one of them'],
  ['others fill it', ['bob', 'bob', 'eve'], 'there are too many streams: try again later'],
])('says whether one more may be opened when %s', (_, open, problem) => {
  const ask = (): void => admit(open, 'ada', CROWD);
  if (problem === undefined) expect(ask).not.toThrow();
  else expect(ask).toThrow(expect.objectContaining({ code: 429, message: problem }));
});
