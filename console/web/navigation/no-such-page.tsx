import { Link } from './navigation.js';

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
