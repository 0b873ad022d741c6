/** What somebody reads whose session is over. `other`: who is signed in instead; empty if nobody is. */
export function sessionOverWords(user: string, other: string): string {
  const kept = `What you did as ${user} is kept for that user.`;
  if (other === '') return `You were signed out: sign in again to continue. ${kept}`;
  return `${other} has signed in in another tab. Sign in as ${user} to continue here. ${kept}`;
}
