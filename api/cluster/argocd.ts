/** A Secret with the label `argocd.argoproj.io/secret-type: cluster` is a cluster of Argo CD. */
export const ARGOCD_SECRET_SELECTOR = 'argocd.argoproj.io/secret-type=cluster';
/** On such a Secret, `"true"`: Argo CD does nothing in this cluster. */
export const ARGOCD_SKIP_RECONCILE_ANNOTATION = 'argocd.argoproj.io/skip-reconcile';
