import { createHash } from 'node:crypto'

/**
 * The 10 000 most common passwords, without those under ten characters, which are refused anyway. Each is the first
 * 12 hex digits of the SHA-256 of its lower-case form; sorted. Source: `10-million-password-list-top-10000.txt` of
 * SecLists (Daniel Miessler and others, MIT), made from passwords that were published after break-ins.
 */
const DIGESTS: ReadonlySet<string> = new Set(
  `
    0139ac6fa1fb 026c6f9bf941 0365cac141b6 091364025ac8 09fba7943e22 0a67248b9ae0 12944f22333c 12ad4a3ef339
    13aa6127ef7b 150f0e91d466 17756315ebd4 17f80754644d 1865e4f9be96 1b6edecb82db 1cee46ed54fa 2285877fbec4
    22f3abbceea4 23b5ed29a1e8 2406f46e506c 27eecf97f30d 28f0116ef42b 2f5f6ce5ae30 300cb2d7a527 332d1ea7aff2
    35f91566a687 36aa15a88e7a 39f83dd31373 3a5745a05f87 3a6e29e7c8d4 3d486fe5bc88 3dc43dbbce11 40f598cc7655
    4346ff92f5b5 46a281cd3549 471d941013d4 48166c7c191e 4a5a0c53b3fd 4c713b660433 501d5acb4acc 523aa18ecb89
    54338b560014 545f070295d2 5b2e4c7665e0 5e4ff8ebb5fe 5e737f891db1 5f1059ff008c 5f3b3b614957 5f5b24ad6553
    6085fee2997a 627f1faf4c5c 63640264849a 64d72e5c1c16 65584fdb05d4 6930dda8d7cc 6b565e9515a1 6c7dd80b5bd4
    6d5d45d57ebc 6d7413d361c1 6eea8b04c68b 70b6144fae4d 75c20970bef5 7619ee8cea49 76923af23a71 775b9c200002
    777524f0cf9c 7a3180ba33c9 7c4a5c242b72 7d63546d79cc 7e8eea5cc609 7fd06f0e2a61 80ac697a6617 81d06fe91661
    82d243e857f7 84d89877f0d4 84d9c4b84950 84ebc1bac787 85932645925c 8935b10f056e 89b00a2edf6d 89e01536ac20
    8b555452b14c 8ce1cd43c5a5 8d3cbb75417e 8e5b57b7b620 8fc0293969da 9260f889a03c 95234f027b5d 965f69baefb6
    9a900403ac31 9b97ac5e767e 9d0c52ae7023 9ec5dbef87db a360ef16dd63 a467a313e8c3 a5ad7e6d5225 a96a19c44d6d
    aa3d2fe4f6d3 aa802f654e3a ac7bdfb29552 adba6c0ec8a8 af6ee9910675 aff7dfbe4614 b05c9ad49cf0 b108fdf8c7b6
    b3d17ebbe4f2 b846e9cb7e32 b9dda264d83c ba467682f4b8 bcedcf24f7f4 be74175cb763 bf2cb58a68f6 c0a1aeedb65a
    c19122f29b80 c1ca3b7dadb0 c23170dd8858 c775e7b757ed c8c38b9c8734 ca19f94b0ad9 cb5e0fac75c9 ce3a598687c8
    cf0b854f5a17 cff986c250c3 d271298bd287 d2d02ea74de2 d6130c7fc77a d7f4d3ccee7a d865b65bdb3b d8aafc4b847c
    dbdcf01bf52c dffc504aa553 e4005e2c1578 e4a0a90e5ac0 ea15960a11d1 eabc1c385be0 ec042e52cf3e eef1394ee3b8
    ef92b778bafe f02c96357481 f1b3e3606806 f275c93692f0 f5dec870b6b1 f68e3ecda739 f6dbd3d75dee f6ee94ecb014
    fd3aaa3b66ef
  `
    .trim()
    .split(/\s+/),
)

/** Whether a password is among the 10 000 most common, ignoring case (D15.2). */
export const isCommonPassword = (password: string): boolean =>
  DIGESTS.has(createHash('sha256').update(password.normalize('NFC').toLowerCase()).digest('hex').slice(0, 12))
