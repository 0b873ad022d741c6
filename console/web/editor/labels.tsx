import { useState } from 'preact/hooks';
import { matchWords, selectorEdits, selectorOfValue } from './model/cluster-choice.js';
import { problemAt } from './model/refusal.js';
import { pathText } from './model/three-way.js';
import { valueAt, type Path } from '../model/yaml-edit.js';
import { Field } from './field.js';
import type { FormProps } from './form-props.js';

interface LabelsProps extends Pick<FormProps, 'edit' | 'problems' | 'value' | 'clusters'> {
  /** Of the selector. */
  readonly path: Path;
  /** Said if there is no selector; without it, there must be one. */
  readonly none?: string;
}

/** Which clusters have the labels now is said while they are typed over. */
export function Labels({ path, none, edit, problems, value, clusters }: LabelsProps) {
  const [refused, refuse] = useState('');
  const own = valueAt(value, path);
  const read = selectorOfValue(own ?? {});
  const commit = (text: string): void => {
    const isNone = none !== undefined && text === '';
    const edits = isNone ? [{ path, value: undefined }] : selectorEdits(path, text);
    refuse('problem' in edits ? edits.problem : '');
    if (!('problem' in edits)) edit(edits);
  };
  return (
    <Field
      label="Labels of the clusters"
      value={read?.text ?? ''}
      readOnly={read === undefined}
      placeholder="env=prod,tier in (edge,core)"
      problem={refused === '' ? problemAt(problems, pathText(path)) : refused}
      help={own === undefined && none !== undefined ? none : matchWords(clusters, own)}
      commit={commit}
    />
  );
}
