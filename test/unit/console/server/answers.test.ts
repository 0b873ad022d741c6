import { describe, expect, test } from '@jest/globals';
import { Answers } from '#console/server/answers.js';

function asked(answers: readonly (() => Promise<string>)[], most?: number, stale = 0) {
  const clock = { ms: 0 };
  const questions: object[] = [];
  const ask = (question: object): Promise<string> => {
    questions.push(question);
    return answers[questions.length - 1]?.() ?? Promise.resolve(String(questions.length));
  };
  const staleMs = (): number => stale;
  const options = { ask, staleMs, keepMs: 1_000, now: () => clock.ms, ...(most === undefined ? {} : { most }) };
  return { clock, questions, answers: new Answers<object, string>(options) };
}

describe('an answer', () => {
  test('counts for a moment, from when it was asked for, and not a moment longer', async () => {
    const { clock, answers } = asked([]);
    expect(await answers.to({ a: 1 })).toBe('1');
    clock.ms = 999;
    expect(await answers.to({ a: 1 })).toBe('1');
    clock.ms = 1_000;
    expect(await answers.to({ a: 1 })).toBe('2');
  });

  test('is asked for once by all who wait for it', async () => {
    const { answers, questions } = asked([]);
    expect(await Promise.all([answers.to({ a: 1, b: 2 }), answers.to({ b: 2, a: 1 })])).toEqual(['1', '1']);
    expect(questions).toHaveLength(1);
  });

  test('is not that to another question, however alike', async () => {
    const { answers } = asked([]);
    const questions = [
      { groups: ['a', 'b'] },
      { groups: ['a,b'] },
      { groups: ['b', 'a'] },
      { user: 'a' },
      { user: ['a'] },
    ];
    expect(await Promise.all(questions.map((each) => answers.to(each)))).toEqual(['1', '2', '3', '4', '5']);
  });

  test('is asked for again after a failure', async () => {
    const { answers } = asked([() => Promise.reject(new Error('gone'))]);
    await expect(answers.to({})).rejects.toThrow('gone');
    expect(await answers.to({})).toBe('2');
  });

  test('is forgotten for newer ones: there is room for so many', async () => {
    const { answers } = asked([], 2);
    for (const a of [1, 2, 3]) await answers.to({ a });
    expect(await answers.to({ a: 1 })).toBe('4');
    expect(await answers.to({ a: 3 })).toBe('3');
  });

  test('may take the room of several', async () => {
    let asked = 0;
    const ask = (text: string): Promise<string> => {
      asked += 1;
      return Promise.resolve(text);
    };
    const answers = new Answers({ ask, keepMs: 1_000, most: 10, weigh: ({ length }) => length });
    for (const text of ['aaaa', 'bbbbb', 'aaaa', 'ccccc', 'aaaa', 'bbbbb']) await answers.to(text);
    expect(asked).toBe(4);
    for (const text of ['far too long', 'far too long', 'bbbbb']) await answers.to(text);
    expect(asked).toBe(6);
  });

  test('that is old is given while it is asked for again, and no older than that', async () => {
    const { clock, answers, questions } = asked([], undefined, 500);
    await answers.to({});
    clock.ms = 1_499;
    expect(await Promise.all([answers.to({}), answers.to({})])).toEqual(['1', '1']);
    expect(questions).toHaveLength(2);
    expect(await answers.to({})).toBe('2');
    clock.ms = 1_499 + 1_500;
    expect(await answers.to({})).toBe('3');
  });

  test('that is old is asked for again after a failure, until its time is over', async () => {
    const gone = (): Promise<string> => Promise.reject(new Error('gone'));
    const { clock, answers, questions } = asked([() => Promise.resolve('old'), gone, gone, gone], undefined, 500);
    await answers.to({});
    for (const ms of [1_000, 1_400]) {
      clock.ms = ms;
      expect(await answers.to({})).toBe('old');
      await new Promise(setImmediate);
    }
    expect(questions).toHaveLength(3);
    clock.ms = 1_500;
    await expect(answers.to({})).rejects.toThrow('gone');
    expect(await answers.to({})).toBe('5');
  });

  test('that is old is not given to who wants a recent one', async () => {
    const { clock, answers } = asked([], undefined, 500);
    await answers.to({});
    clock.ms = 999;
    expect(await answers.recent({})).toBe('1');
    clock.ms = 1_000;
    expect(await answers.recent({})).toBe('2');
  });
});
