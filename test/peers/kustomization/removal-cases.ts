import { configMap, deployment, manifest, type Case } from './case.js';

const ANNOTATION = 'kustomize.toolkit.fluxcd.io';

/** What becomes of objects that leave the files, or whose Kustomization is deleted. */
export const REMOVAL_CASES: readonly Case[] = [
  {
    name: 'prune',
    steps: [
      {
        does: 'objects are applied',
        files: {
          'a.yaml': manifest(
            configMap('one', {}),
            configMap('two', {}),
            configMap('kept', {}, { annotations: { [`${ANNOTATION}/prune`]: 'disabled' } }),
            configMap('later', {}),
          ),
        },
      },
      {
        does: 'what is gone from the files is deleted, unless it says otherwise',
        files: { 'a.yaml': manifest(configMap('one', {})) },
        users: [{ args: `label configmap later ${ANNOTATION}/prune=disabled` }],
      },
      { does: 'prune is off', spec: { prune: false } },
      { does: 'without prune', files: { 'a.yaml': manifest(configMap('three', {})) } },
    ],
  },
  {
    name: 'prune-owned',
    steps: [
      { does: 'objects are applied', files: { 'a.yaml': manifest(configMap('one', {}), configMap('two', {})) } },
      {
        does: 'what another Kustomization took over stays',
        files: { 'a.yaml': manifest(configMap('one', {})) },
        users: [{ args: `label --overwrite configmap two ${ANNOTATION}/name=another` }],
      },
    ],
  },
  {
    name: 'empty',
    steps: [
      { does: 'objects are applied', files: { 'a.yaml': manifest(configMap('one', {})) } },
      { does: 'files without an object', files: { 'notes.txt': 'none' }, weFail: 'BuildFailed' },
    ],
    differs: 'Flux prunes everything when a folder is empty; we take it for a mistake',
  },
  {
    name: 'orphan',
    steps: [
      {
        does: 'objects are applied',
        files: { 'a.yaml': manifest(configMap('one', {})) },
        spec: { deletionPolicy: 'Orphan' },
      },
    ],
  },
  {
    name: 'mirror-prune',
    steps: [
      {
        does: 'objects are applied without prune',
        files: { 'a.yaml': manifest(configMap('one', {})) },
        spec: { prune: false },
      },
    ],
  },
  {
    name: 'delete-policy',
    steps: [
      {
        does: 'objects are applied without prune',
        files: {
          'a.yaml': manifest(
            configMap('one', {}),
            configMap('kept', {}, { annotations: { [`${ANNOTATION}/prune`]: 'disabled' } }),
          ),
        },
        spec: { prune: false, deletionPolicy: 'Delete' },
      },
    ],
  },
  {
    name: 'delete-and-wait',
    steps: [
      {
        does: 'objects are applied',
        files: { 'a.yaml': manifest(deployment('web')) },
        spec: { deletionPolicy: 'WaitForTermination' },
      },
    ],
  },
];
