import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';

export interface Address {
  readonly path: string;
  /** With its `?`. */
  readonly search: string;
}

export interface Navigation extends Address {
  readonly go: (url: string) => void;
  /** Without a step that the browser goes back to. */
  readonly replace: (url: string) => void;
}

const here = (): Address => ({ path: location.pathname, search: location.search });

const Context = createContext<Navigation>({ path: '/', search: '', go: () => undefined, replace: () => undefined });

export function useNavigation(): Navigation {
  return useContext(Context);
}

/** Pages change without the server, and the browser's own buttons work. */
export function WithNavigation({ children }: { children: ComponentChildren }) {
  const [address, set] = useState(here);
  useEffect(() => {
    const follow = (): void => set(here());
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  const navigation = useMemo(() => {
    const go = (url: string): void => {
      history.pushState(null, '', url);
      scrollTo(0, 0);
      set(here());
    };
    const replace = (url: string): void => {
      history.replaceState(null, '', url);
      set(here());
    };
    return { ...address, go, replace };
  }, [address]);
  return <Context.Provider value={navigation}>{children}</Context.Provider>;
}

/** The query of a page, and how to change it. */
export interface AskProps<Q> {
  readonly query: Q;
  readonly ask: (query: Q) => void;
}

/** The query in the URL, by how to read and print it; the browser's Back does not undo a change of it. */
export function useQuery<Q>(read: (search: string) => Q, print: (query: Q) => string): AskProps<Q> {
  const { search, path, replace } = useNavigation();
  const query = useMemo(() => read(search), [search]);
  return { query, ask: (next) => replace(`${path}${print(next)}`) };
}

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly title?: string;
  readonly class?: string;
  readonly tabIndex?: number;
  /** What is read aloud, where the text has a symbol. */
  readonly label?: string;
  /** True: it leads to what is shown. */
  readonly current?: boolean;
}

/** A link that opens in a new tab when it is asked to. */
export function Link({ to, children, current = false, label, ...rest }: LinkProps) {
  const { go } = useNavigation();
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={to} onClick={follow} aria-current={current ? 'page' : undefined} aria-label={label} {...rest}>
      {children}
    </a>
  );
}

interface SkipProps {
  /** Id of what takes the focus. */
  readonly to: string;
  readonly children: string;
}

/** For the keyboard, seen once it has the focus. The address stays as it is: it says what the page shows. */
export function Skip({ to, children }: SkipProps) {
  const skip = (event: Event): void => {
    event.preventDefault();
    document.getElementById(to)?.focus();
  };
  return (
    <a class="skip" href={`#${to}`} onClick={skip}>
      {children}
    </a>
  );
}

/** Each page gets these. */
export interface PageProps {
  /** The parameters of its path. */
  readonly params: Readonly<Record<string, string>>;
}

/** Names the page for the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Fairlead`;
  }, [title]);
}

export function NoSuchPage() {
  return (
    <section class="notice" role="status">
      <h1>There is no such page</h1>
      <p>
        <Link to="/">All Applications</Link>
      </p>
    </section>
  );
}
