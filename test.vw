-1 'm500 |from list |subject you meeting |body hello:1 invoice:2 meeting:1 lunch:1 thanks:1
1 'm501 |from shop |subject free thanks |body prize:1 free:2 you:1 please:1 report:1
-1 'm502 |from shop |subject the you |body minutes:2 invoice:1 lunch:1 you:1 thanks:1
-1 'm503 |from shop |subject see the |body meeting:1 please:1 thanks:1 see:1 winner:1 free:1
-1 'm504 |from list |subject for hello |body the:1 hello:1 offer:1 lunch:1 see:1 monday:1
-1 'm505 |from shop |subject winner minutes |body offer:1 lunch:1 report:1 you:1 invoice:1 hello:1
-1 'm506 |from shop |subject please you |body lunch:1 report:1 offer:1 monday:1 free:2
1 'm507 |from list |subject please winner |body minutes:2 invoice:1 prize:1 winner:1 please:1
-1 'm508 |from friend |subject monday report |body prize:1 see:1 minutes:1 thanks:1 lunch:1 report:1
-1 'm509 |from list |subject invoice lunch |body lunch:1 monday:3 free:1 offer:1
-1 'm510 |from shop |subject lunch thanks |body please:2 meeting:1 hello:2 invoice:1
-1 'm511 |from shop |subject report prize |body minutes:1 report:1 lunch:1 winner:1 free:1 you:1
-1 'm512 |from friend |subject minutes you |body winner:3 free:1 hello:1 thanks:1
1 'm513 |from list |subject see minutes |body thanks:1 please:2 offer:1 prize:1 lunch:1
-1 'm514 |from friend |subject offer meeting |body see:1 please:1 lunch:1 for:1 thanks:1 report:1
-1 'm515 |from list |subject hello winner |body minutes:1 hello:1 you:1 winner:1 meeting:1 offer:1
-1 'm516 |from list |subject offer for |body winner:2 minutes:1 hello:1 report:1 monday:1
-1 'm517 |from shop |subject meeting report |body report:2 monday:1 minutes:1 see:1 winner:1
-1 'm518 |from list |subject you see |body the:1 monday:1 invoice:1 free:2 meeting:1
-1 'm519 |from shop |subject for lunch |body lunch:2 hello:1 winner:1 meeting:2
-1 'm520 |from friend |subject please invoice |body free:1 report:1 for:1 winner:1 invoice:1 offer:1
-1 'm521 |from shop |subject lunch offer |body monday:1 offer:2 winner:1 thanks:1 meeting:1
-1 'm522 |from friend |subject report offer |body please:2 invoice:1 report:1 meeting:1 you:1
1 'm523 |from shop |subject invoice free |body see:1 you:2 invoice:1 please:1 winner:1
1 'm524 |from list |subject for free |body see:2 winner:1 monday:1 for:1 you:1
-1 'm525 |from shop |subject winner monday |body minutes:1 see:1 thanks:1 free:1 invoice:1 lunch:1
-1 'm526 |from list |subject invoice the |body minutes:1 thanks:2 meeting:1 hello:1 winner:1
-1 'm527 |from shop |subject hello see |body see:1 the:1 thanks:1 winner:1 you:1 offer:1
-1 'm528 |from friend |subject the thanks |body lunch:1 invoice:2 winner:1 see:1 please:1
-1 'm529 |from shop |subject monday offer |body hello:2 monday:1 free:1 for:2
-1 'm530 |from shop |subject offer lunch |body winner:1 you:2 thanks:1 invoice:1 minutes:1
1 'm531 |from list |subject meeting lunch |body report:1 hello:1 prize:1 see:1 you:1 thanks:1
1 'm532 |from list |subject please invoice |body meeting:1 thanks:1 the:1 please:1 prize:1 you:1
-1 'm533 |from shop |subject lunch monday |body minutes:1 lunch:1 hello:1 invoice:1 report:1 free:1
-1 'm534 |from list |subject thanks report |body thanks:1 invoice:1 see:1 monday:1 winner:1 for:1
1 'm535 |from list |subject winner invoice |body invoice:1 the:1 prize:1 hello:1 offer:1 meeting:1
-1 'm536 |from shop |subject you meeting |body the:1 winner:1 monday:2 minutes:1 thanks:1
-1 'm537 |from friend |subject please lunch |body see:1 offer:1 thanks:1 report:1 monday:1 lunch:1
1 'm538 |from shop |subject free meeting |body the:1 monday:2 winner:1 report:1 prize:1
1 'm539 |from shop |subject hello free |body monday:1 please:1 offer:2 the:1 hello:1
1 'm540 |from shop |subject for lunch |body for:1 please:2 free:2 prize:1
-1 'm541 |from shop |subject invoice report |body for:1 free:1 winner:2 thanks:1 please:1
-1 'm542 |from list |subject hello please |body monday:1 thanks:2 you:1 lunch:1 for:1
1 'm543 |from list |subject thanks free |body for:1 free:1 offer:2 meeting:1 you:1
-1 'm544 |from friend |subject thanks please |body hello:1 lunch:1 report:1 minutes:1 for:1 please:1
1 'm545 |from list |subject lunch thanks |body monday:2 prize:1 free:1 invoice:2
-1 'm546 |from shop |subject monday see |body free:1 for:1 the:1 winner:1 minutes:1 please:1
-1 'm547 |from list |subject invoice monday |body offer:1 free:1 lunch:1 you:1 the:1 winner:1
-1 'm548 |from friend |subject prize you |body minutes:1 you:1 the:1 free:1 winner:1 invoice:1
-1 'm549 |from friend |subject meeting thanks |body lunch:1 thanks:1 free:1 minutes:1 please:1 you:1
1 'm550 |from shop |subject winner free |body lunch:2 meeting:1 the:1 winner:1 invoice:1
-1 'm551 |from friend |subject the see |body offer:1 for:2 winner:1 the:1 lunch:1
-1 'm552 |from friend |subject invoice thanks |body free:2 you:1 monday:1 winner:1 minutes:1
1 'm553 |from list |subject report meeting |body prize:2 offer:1 you:1 report:1 minutes:1
-1 'm554 |from shop |subject see lunch |body lunch:1 the:1 thanks:1 hello:1 offer:1 minutes:1
-1 'm555 |from friend |subject you lunch |body thanks:1 prize:1 free:1 offer:1 lunch:1 meeting:1
-1 'm556 |from friend |subject winner report |body minutes:1 winner:1 see:2 report:2
-1 'm557 |from friend |subject monday winner |body for:2 see:2 winner:1 offer:1
-1 'm558 |from list |subject you lunch |body hello:2 please:1 monday:1 free:1 meeting:1
-1 'm559 |from friend |subject hello offer |body monday:2 invoice:1 the:1 hello:1 report:1
-1 'm560 |from friend |subject please thanks |body minutes:2 the:2 meeting:1 winner:1
1 'm561 |from shop |subject lunch free |body report:1 see:1 please:1 monday:1 you:1 invoice:1
1 'm562 |from list |subject please minutes |body offer:2 meeting:1 hello:1 prize:2
-1 'm563 |from friend |subject meeting invoice |body winner:1 report:1 please:1 minutes:2 thanks:1
1 'm564 |from list |subject minutes the |body report:1 offer:1 prize:1 invoice:1 thanks:1 free:1
-1 'm565 |from list |subject monday you |body hello:1 for:1 report:1 please:1 free:1 invoice:1
-1 'm566 |from list |subject please winner |body for:1 monday:1 free:1 please:1 you:2
1 'm567 |from friend |subject free the |body thanks:1 for:1 minutes:1 hello:2 monday:1
1 'm568 |from shop |subject minutes free |body report:1 the:2 winner:1 meeting:1 free:1
1 'm569 |from shop |subject free for |body invoice:1 prize:1 report:1 lunch:1 see:1 for:1
-1 'm570 |from list |subject offer for |body please:2 minutes:2 meeting:1 free:1
-1 'm571 |from shop |subject thanks minutes |body report:1 the:1 monday:1 invoice:1 see:1 minutes:1
-1 'm572 |from list |subject report thanks |body monday:1 for:1 invoice:1 you:1 see:1 winner:1
-1 'm573 |from friend |subject meeting winner |body for:1 monday:1 free:2 please:1 the:1
-1 'm574 |from friend |subject offer winner |body prize:2 thanks:1 hello:1 please:1 invoice:1
-1 'm575 |from friend |subject for please |body report:2 hello:1 see:1 winner:1 meeting:1
1 'm576 |from list |subject lunch minutes |body prize:2 see:1 you:1 free:1 report:1
-1 'm577 |from shop |subject meeting prize |body hello:1 report:2 offer:1 monday:1 you:1
-1 'm578 |from shop |subject for winner |body thanks:2 hello:1 offer:1 winner:2
-1 'm579 |from shop |subject invoice please |body offer:3 please:1 free:1 meeting:1
-1 'm580 |from list |subject prize you |body please:1 for:1 meeting:1 lunch:1 monday:1 winner:1
1 'm581 |from friend |subject free invoice |body winner:1 prize:1 offer:1 monday:1 you:1 hello:1
-1 'm582 |from shop |subject monday you |body please:1 hello:1 the:2 minutes:1 invoice:1
-1 'm583 |from friend |subject prize invoice |body minutes:1 hello:2 please:1 you:1 the:1
-1 'm584 |from friend |subject winner you |body offer:1 hello:2 see:1 the:1 prize:1
1 'm585 |from list |subject the free |body meeting:2 hello:1 please:1 for:1 invoice:1
1 'm586 |from list |subject lunch hello |body lunch:2 the:1 for:1 winner:1 prize:1
-1 'm587 |from list |subject for invoice |body free:1 lunch:1 see:1 winner:1 invoice:1 the:1
-1 'm588 |from list |subject please for |body monday:2 winner:1 invoice:1 minutes:1 the:1
-1 'm589 |from friend |subject you winner |body the:1 please:1 minutes:1 meeting:1 monday:1 lunch:1
1 'm590 |from shop |subject monday free |body the:2 offer:1 prize:1 meeting:1 report:1
-1 'm591 |from list |subject the monday |body hello:2 see:1 invoice:1 lunch:1 the:1
-1 'm592 |from list |subject prize thanks |body offer:1 minutes:2 invoice:1 see:1 hello:1
-1 'm593 |from list |subject monday the |body monday:1 thanks:1 see:1 lunch:1 please:1 free:1
-1 'm594 |from friend |subject monday hello |body offer:2 report:1 hello:1 please:1 you:1
1 'm595 |from friend |subject free invoice |body free:2 lunch:1 hello:2 offer:1
-1 'm596 |from list |subject hello monday |body minutes:2 report:1 invoice:1 free:1 offer:1
-1 'm597 |from friend |subject monday see |body monday:2 thanks:1 you:2 see:1
-1 'm598 |from list |subject monday report |body you:1 monday:1 winner:3 minutes:1
1 'm599 |from shop |subject lunch please |body winner:1 prize:1 lunch:1 invoice:1 you:1 for:1
