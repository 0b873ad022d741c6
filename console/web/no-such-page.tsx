import { Link } from './navigation.js';
import { Notice } from './notice.js';

export function NoSuchPage() {
  return (
    <Notice title="There is no such page">
      <p>
        <Link to="/">All Applications</Link>
      </p>
    </Notice>
  );
}
