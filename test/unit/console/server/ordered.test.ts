import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Application } from '#api/v1alpha1/application.js';
import { sortedBy } from '#console/server/model/application-query.js';
import { Ordered } from '#console/server/ordered.js';
import type { Change } from '#controllers/runtime/controller.js';
import { application, RUNNING, STALLED } from '#test/support/application.js';

const STATES = [RUNNING, STALLED, '{}'];
const SORTS = ['name', 'state', 'createdAt'];

const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  state: fc.nat(3),
  look: fc.constantFrom(...SORTS),
});

test('an order is always that of what there is, whatever comes, changes and goes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const all = new Map<string, Application>();
      let tell: (change: Change<Application>) => void = () => undefined;
      const ordered = new Ordered({ list: () => [...all.values()], onChange: (handler) => (tell = handler) });
      for (const { name, state, look } of steps) {
        const previous = all.get(name);
        const status = STATES[state];
        if (status === undefined) {
          all.delete(name);
          if (previous !== undefined) tell({ type: 'deleted', object: previous, previous });
        } else {
          const object = application(name, status);
          all.set(name, object);
          tell(previous === undefined ? { type: 'added', object } : { type: 'updated', object, previous });
        }
        expect(ordered.by(look)).toEqual(sortedBy([...all.values()], look));
      }
    }),
  );
});
