import { OnDemand } from '../parts/on-demand.js';
import '../editor/editor.css';
import './differences.css';
import './history.css';
import type { ViewProps } from './view.js';

async function load() {
  const { Differences } = await import('./differences.js');
  return Differences;
}

/** What would be done, and what is not as it is wanted. */
export function DifferencesView(props: ViewProps) {
  return <OnDemand load={load} props={props} what="the differences" />;
}
