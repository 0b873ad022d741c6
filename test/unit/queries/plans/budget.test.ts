import { describe, expect, it } from '@jest/globals';
import { Budget } from '#queries/plans/budget.js';
import { PreviewError } from '#queries/plans/preview-error.js';

describe('what an answer may cost', () => {
  it('is nothing in particular by default', () => {
    const budget = new Budget();
    budget.take('Secret', Number.MAX_SAFE_INTEGER);
    budget.checkCount(1_000_000, 'secrets');
    expect(() => budget.spend(Number.MAX_SAFE_INTEGER, 'all')).not.toThrow();
  });

  it('has all that is read in common, and names the kind that there is most of', () => {
    const budget = new Budget({ bytes: 10_000_000 });
    budget.take('Secret', 1_000_000);
    budget.take('HelmRelease', 4_000_000);
    budget.take('HelmRelease', 4_500_000);
    budget.take('Secret', 500_000);
    const says = 'there are more than 10 MB to read for one answer, 9 MB of them of kind HelmRelease';
    expect(() => budget.take('Secret', 1)).toThrow(PreviewError);
    expect(() => budget.take('Secret', 1)).toThrow(says);
  });

  it('has a number of objects of each type', () => {
    const budget = new Budget({ objects: 2 });
    budget.checkCount(2, 'secrets');
    budget.checkCount(2, 'helmreleases');
    expect(() => budget.checkCount(3, 'secrets')).toThrow('there are more than 2 secrets to read');
  });

  it('has all that is made in common', () => {
    const budget = new Budget({ characters: 10 });
    budget.spend(6, 'this');
    budget.spend(4, 'that');
    expect(() => budget.spend(1, 'the rest', '; ask for less')).toThrow(
      'the rest is too much for one answer; ask for less',
    );
  });
});
