import type { PlainMap } from '#lib/plain.js';
import type { Entered, FieldProblem } from './entered-values.js';

/** Where a template is to be used, as it was typed. */
export interface UsePlace {
  readonly namespace: string;
  readonly name: string;
  /** Empty: that of the Application. */
  readonly targetNamespace: string;
  /** True: it stays at the revision of now. */
  readonly isPinned: boolean;
}

/** What was typed into the form of a template, and the Application that was made of it. */
export interface UseEntries {
  readonly place: UsePlace;
  readonly entered: Entered;
  /** The last one. */
  readonly made: string | undefined;
  /** False: the form is shown again. */
  readonly isMadeShown: boolean;
}

export const NOTHING_TYPED: UseEntries = {
  place: { namespace: '', name: '', targetNamespace: '', isPinned: false },
  ...{ entered: {}, made: undefined, isMadeShown: false },
};

/** True: somebody would miss it. */
export function isTyped({ place, entered }: UseEntries): boolean {
  return Object.keys(entered).length > 0 || Object.values(place).some((each) => each !== '' && each !== false);
}

const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const NAME = /^(?=.{1,253}$)[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/;
const FORM = 'lower-case letters, digits and -';

function wrong(field: string, text: string, rule: string): FieldProblem {
  return { field, message: text === '' ? 'it is required' : `it must be ${rule}: ${FORM}` };
}

/** What is wrong with where it is to be used, by field. */
export function placeProblems({ namespace, name, targetNamespace }: UsePlace): FieldProblem[] {
  return [
    ...(LABEL.test(namespace) ? [] : [wrong('namespace', namespace, 'the name of a namespace')]),
    ...(NAME.test(name) ? [] : [wrong('name', name, 'a name')]),
    ...(targetNamespace === '' || LABEL.test(targetNamespace)
      ? []
      : [wrong('targetNamespace', targetNamespace, 'the name of a namespace')]),
  ];
}

/** What the server is asked for. */
export function useBody(
  { namespace, name, targetNamespace, isPinned }: UsePlace,
  { revision, values }: { readonly revision: number; readonly values: PlainMap },
): object {
  return {
    ...{ namespace, name },
    ...(targetNamespace === '' ? {} : { targetNamespace }),
    ...(isPinned && revision > 0 ? { revision } : {}),
    ...(Object.keys(values).length === 0 ? {} : { values }),
  };
}
