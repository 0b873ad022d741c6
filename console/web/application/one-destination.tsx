import { type AskProps, useQuery } from '../navigation/navigation.js';
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { DestinationView, ReadApplication } from '#queries/answers/application.js';
import { Choice, SearchField } from '../parts/fields.js';
import {
  chosenDestination,
  destinationText,
  manifestQueryOf,
  manifestSearchOf,
  type ManifestQuery,
} from './model/manifest-query.js';
import { worstFirst } from '../parts/model/destinations.js';
import { Notice } from '../parts/notice.js';

interface FilterProps extends AskProps<ManifestQuery> {
  readonly destinations: readonly DestinationView[];
  readonly chosen: string;
}

function Filter({ destinations, chosen, query, ask }: FilterProps) {
  const choices = destinations.map((each) => [each.child, destinationText(each)] as const);
  return (
    <div class="fields">
      <Choice label="Destination" value={chosen} choices={choices} choose={(child) => ask({ ...query, child })} />
      <SearchField value={query.search} find={(search) => ask({ ...query, search })} />
    </div>
  );
}

/** All of them, and how to go to another one, by its child. */
export interface Others {
  readonly destinations: readonly DestinationView[];
  readonly choose: (child: string) => void;
}

interface OneDestinationProps {
  readonly detail: ReadApplication;
  /** `search`: part of the objects that are looked for. */
  readonly children: (destination: DestinationView, search: string, others: Others) => ComponentChildren;
}

/** One destination, the worst one at first: what is read of it may be much. */
export function OneDestination({ detail, children }: OneDestinationProps) {
  const { query, ask } = useQuery(manifestQueryOf, manifestSearchOf);
  const destinations = useMemo(
    () => worstFirst(detail.destinations).filter(({ child }) => child !== ''),
    [detail.destinations],
  );
  // Another one may be worse meanwhile: what is read stays.
  const first = useRef('');
  first.current ||= chosenDestination(destinations, query)?.child ?? '';
  const destination = chosenDestination(destinations, { ...query, child: query.child || first.current });
  if (destinations.length === 0) {
    return (
      <Notice title="Nothing is deployed yet">
        <p>The status names no release.</p>
      </Notice>
    );
  }
  return (
    <>
      <Filter {...{ destinations, query, ask }} chosen={destination?.child ?? query.child} />
      {destination === undefined ? (
        <Notice title="It is not there any more">
          <p>The status names no such destination: choose another one.</p>
        </Notice>
      ) : (
        children(destination, query.search, { destinations, choose: (child) => ask({ ...query, child }) })
      )}
    </>
  );
}
