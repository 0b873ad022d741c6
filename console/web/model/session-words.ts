/** What somebody reads whose session is over. `other`: who is signed in instead; empty if nobody is. */
export function sessionOverWords(user: string, other: string): string {
  const kept = `What you did as ${user} is kept for that user.`;
  if (other === '') return `You were signed out: sign in again to go on. ${kept}`;
  return `${other} is signed in in this browser now, as in another tab: sign in as ${user} to go on here. ${kept}`;
}
